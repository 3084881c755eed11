// A blocking GET over HTTP or HTTPS for the HTTP services of Hadoop's daemons: REST answers and container logs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/http/trust.h"

namespace howdah::os::http {

struct GetLimits {
  Duration connect = std::chrono::seconds(5);
  Duration silence = std::chrono::seconds(20);  // maximum time without a received byte
  Duration whole = std::chrono::hours(24);
  int64_t body_bytes = int64_t{1} << 40;
};

struct GetReply {
  int status = 0;
  std::string content_type;
  std::string location;  // the target of a redirect; redirects are not followed
  // The header `Refresh`. A standby ResourceManager puts the URL of the active one there.
  std::string refresh;
  std::string authenticate;  // the header `WWW-Authenticate`: "Negotiate"
  std::string error_text;    // the first 4 KiB of the body if the status is not 200
  // With https: the server's certificate, as in "CN=example.com, valid until 2027-01-31T12:00:00.000Z".
  std::string certificate;
};

// The server of a URL, with the default port of its scheme if the URL has none. Returns kUsage if the URL is invalid.
Result<HostPort> ServerOf(const std::string& url);

// Receives the next bytes of the body of a response with status 200. Returns false to stop reading and close the
// connection.
using OnBody = std::function<bool(std::string_view bytes)>;
using Headers = std::vector<std::pair<std::string, std::string>>;

// Blocks; thread-safe. `url` has the form "http://example.com:8042/path?query". https needs `trust`.
// Memory is bounded whatever the server sends. Returns:
// - a reply if the server answered with any status, and its body was complete or on_body returned false;
// - kUsage if the URL is invalid;
// - kUnavailable or kTimeout as os::net::Connect does, also if the connection broke, the server was silent too long, or
//   its certificate is not accepted;
// - kFailed if the answer is not HTTP/1.1 or exceeds a limit.
Result<GetReply> Get(const std::string& url, const GetLimits& limits, const OnBody& on_body,
                     const Headers& headers = {}, const Trust* trust = nullptr);

// A request with another method, or with a body.
struct Outgoing {
  std::string method = "GET";
  std::string url;
  Headers headers = {};
  std::string body = {};
};
// As Get.
Result<GetReply> Send(const Outgoing& request, const GetLimits& limits, const OnBody& on_body,
                      const Trust* trust = nullptr);

}  // namespace howdah::os::http
