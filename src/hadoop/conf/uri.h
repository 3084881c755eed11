// URIs as Hadoop's Path takes them: nothing is percent-decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "howdah/base/result.h"

namespace howdah::hadoop::conf {

// "hdfs://ns1/a b" → {"hdfs", "ns1", "/a b"}; "/a" → {"", "", "/a"}; "file:/a" and "file:///a" → {"file", "", "/a"}.
struct Uri {
  std::string scheme, authority, path;
};
Uri ParseUri(const std::string& text);

struct HostAndPort {
  std::string host;
  uint16_t port = 0;
};
// "host", "host:port", "1.2.3.4:port", "[v6]:port", "[v6]"; without a port it is the given one. A wildcard ("0.0.0.0",
// "[::]") means the machine itself: "localhost". nullopt: it is none of these.
std::optional<HostAndPort> ParseAddress(const std::string& text, uint16_t port);

}  // namespace howdah::hadoop::conf
