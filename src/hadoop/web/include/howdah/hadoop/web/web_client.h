// The web services of Hadoop's daemons, as the user of a login: HTTPS, and SPNEGO where a daemon requires it.
#pragma once

#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/kerberos/login.h"
#include "howdah/os/http/get.h"
#include "howdah/os/http/trust.h"

namespace howdah::hadoop::web {

// Thread-safe.
class WebClient {
 public:
  // trust: for https; its error is returned by the first request that needs it. login: null if there is no Kerberos.
  WebClient(Result<std::shared_ptr<const os::http::Trust>> trust, std::shared_ptr<kerberos::Login> login)
      : trust_(std::move(trust)), login_(std::move(login)) {}

  // As os::http::Get. If the server requires SPNEGO (RFC 4559), repeats the request with a ticket for HTTP/HOST. A
  // reply with status 401 means that the login is null, or that the server has refused the ticket.
  Result<os::http::GetReply> Get(const std::string& url, const os::http::GetLimits& limits,
                                 const os::http::OnBody& on_body);
  // As Get, with another method, headers or a body.
  Result<os::http::GetReply> Send(os::http::Outgoing request, const os::http::GetLimits& limits,
                                  const os::http::OnBody& on_body);

 private:
  // The value of the header Authorization for the server of a URL.
  Result<std::string> Authorization(const std::string& url);

  const Result<std::shared_ptr<const os::http::Trust>> trust_;
  const std::shared_ptr<kerberos::Login> login_;
};

}  // namespace howdah::hadoop::web
