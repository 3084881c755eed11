// Asks the kernel for the user at the other end of a connection within this machine.
#pragma once

#include <sys/types.h>

#include <optional>

namespace howdah::os::net {

// Uses sock_diag(7), whose cost does not grow with the number of connections, unlike that of /proc/net/tcp.
class PeerUsers {
 public:
  PeerUsers();
  ~PeerUsers();
  PeerUsers(const PeerUsers&) = delete;
  PeerUsers& operator=(const PeerUsers&) = delete;

  // socket: a connected TCP socket whose peer is on this machine, in the same network namespace. Returns the user who
  // opened the peer's socket. Returns nullopt if the kernel does not support this query, or if the peer has closed
  // its socket.
  std::optional<uid_t> UserOf(int socket) const;

 private:
  const int netlink_;  // -1 if the kernel has no sock_diag
};

// socket: a connected unix socket. Returns the user who connected it.
std::optional<uid_t> UserOfUnixSocket(int socket);

}  // namespace howdah::os::net
