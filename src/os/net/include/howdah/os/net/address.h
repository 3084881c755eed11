// Resolved socket addresses.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "howdah/base/result.h"

namespace howdah::os::net {

// As configuration writes it: a name or a number, and a port.
struct HostPort {
  std::string host;  // "rm1.example.com", "10.0.0.7", "::1" (no brackets)
  uint16_t port = 0;
  // "rm1.example.com:8032", "[::1]:8032"
  std::string text() const;
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

// "host:port" or "[v6]:port"; kUsage: it is neither.
Result<HostPort> ParseHostPort(const std::string& text);

// An IP address and port in the form of the socket API.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string ip() const;  // "10.0.0.7", "::1"
  uint16_t port() const;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

}  // namespace howdah::os::net
