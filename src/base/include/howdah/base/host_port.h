// The address of a server: a host and a TCP port.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah {

// A plain value: host names are not resolved.
struct HostPort {
  std::string host;   // "rm1.example.com", "10.0.0.7", "::1" (without brackets)
  uint16_t port = 0;  // 0: not known yet
  // Formats "rm1.example.com:8032" or "[::1]:8032".
  std::string Text() const;
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

// Parses "host:port" or "[v6]:port". Returns a kUsage error for any other text, and for a port above 65535.
Result<HostPort> ParseHostPort(std::string_view text);

}  // namespace howdah
