// URIs in the syntax of Hadoop's Path: without percent-encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "howdah/base/host_port.h"

namespace howdah::hadoop::conf {

// Examples: "hdfs://ns1/a b" → {"hdfs", "ns1", "/a b"}; "/a" → {"", "", "/a"}; "file:/a" and "file:///a" → {"file", "",
// "/a"}.
struct Uri {
  std::string scheme, authority, path;
};
Uri ParseUri(const std::string& text);

// Parses "host", "host:port", "1.2.3.4:port", "[v6]:port" or "[v6]". Returns nullopt if the text is invalid. `port` is
// used if the text has no port. A wildcard ("0.0.0.0", "[::]") stands for this machine and becomes "localhost".
std::optional<HostPort> ParseAddress(const std::string& text, uint16_t port);

}  // namespace howdah::hadoop::conf
