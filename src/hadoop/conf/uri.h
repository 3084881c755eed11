// URIs in the syntax of Hadoop's Path: without percent-encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "howdah/base/host_port.h"

namespace howdah::hadoop::conf {

// "hdfs://ns1/a b" → {"hdfs", "ns1", "/a b"}; "/a" → {"", "", "/a"}; "file:/a" and "file:///a" → {"file", "", "/a"}.
struct Uri {
  std::string scheme, authority, path;
};
Uri ParseUri(const std::string& text);

// Parses "host", "host:port", "1.2.3.4:port", "[v6]:port" or "[v6]"; `port` is the default. A wildcard ("0.0.0.0",
// "[::]") stands for this machine and becomes "localhost". Returns nullopt if the text is invalid.
std::optional<HostPort> ParseAddress(const std::string& text, uint16_t port);

}  // namespace howdah::hadoop::conf
