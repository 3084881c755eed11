// Resolved socket addresses.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace howdah::os::net {

// An IP address and port in the form of the socket API.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string ip() const;  // "10.0.0.7", "::1"
  uint16_t port() const;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

}  // namespace howdah::os::net
