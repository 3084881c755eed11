// A blocking HTTP GET, for what Hadoop's daemons serve over HTTP: REST answers and container logs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::os::http {

struct GetLimits {
  Duration connect = std::chrono::seconds(5);
  Duration silence = std::chrono::seconds(20);  // between two bytes
  Duration whole = std::chrono::hours(24);
  int64_t body_bytes = int64_t{1} << 40;
};

struct GetReply {
  int status = 0;
  std::string content_type;
  std::string location;    // of a redirect, which is not followed
  std::string refresh;     // the header `Refresh`, with which a standby ResourceManager points at the active one
  std::string error_text;  // the beginning of the body, 4 KiB at most, of any status but 200
};

// Takes the next bytes of the body of a 200; false: enough, the connection is closed.
using OnBody = std::function<bool(std::string_view bytes)>;
using Headers = std::vector<std::pair<std::string, std::string>>;

// url: "http://example.com:8042/path?query"; https is refused with words. Memory is bounded whatever the server sends.
// Ok: the server answered, whatever its status, and its body was whole or on_body had enough. kUsage: no such URL.
// kUnavailable, kTimeout: as os::net::Connect; also a connection that broke or fell silent. kFailed: what came is no
// HTTP, or over a limit.
Result<GetReply> Get(const std::string& url, const GetLimits& limits, const OnBody& on_body,
                     const Headers& headers = {});

}  // namespace howdah::os::http
