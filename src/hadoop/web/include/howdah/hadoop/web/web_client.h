// The web services of Hadoop's daemons, as the user of a login: HTTPS, and SPNEGO where a daemon requires it.
#pragma once

#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/kerberos/login.h"
#include "howdah/os/http/get.h"
#include "howdah/os/http/trust.h"

namespace howdah::hadoop::web {

struct WebReply : os::http::GetReply {
  std::string principal;  // of the server, such as "HTTP/example.com@EXAMPLE.COM", if it required a ticket
};

// Thread-safe.
class WebClient {
 public:
  // trust: for https; its error is returned by the first request that needs it. login: null if there is no Kerberos.
  WebClient(Result<std::shared_ptr<const os::http::Trust>> trust, std::shared_ptr<kerberos::Login> login)
      : trust_(std::move(trust)), login_(std::move(login)) {}

  // As os::http::Get. If the server requires SPNEGO (RFC 4559), repeats the request with a ticket for HTTP/HOST. A
  // reply with status 401 means that the login is null, or that the server has refused the ticket.
  Result<WebReply> Get(const std::string& url, const os::http::GetLimits& limits, const os::http::OnBody& on_body);
  // As Get, with another method, headers or a body.
  Result<WebReply> Send(os::http::Outgoing request, const os::http::GetLimits& limits, const os::http::OnBody& on_body);

 private:
  // A server of web pages, and the value of the header Authorization for it.
  struct Authorized {
    std::string principal, header;
  };
  Result<Authorized> Authorize(const std::string& url);

  const Result<std::shared_ptr<const os::http::Trust>> trust_;
  const std::shared_ptr<kerberos::Login> login_;
};

}  // namespace howdah::hadoop::web
