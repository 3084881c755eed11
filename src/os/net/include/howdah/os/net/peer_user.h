// Asks the kernel for the user at the other end of a connection within this machine.
#pragma once

#include <sys/types.h>

#include <optional>

namespace howdah::os::net {

// Uses sock_diag(7). Its cost does not depend on the number of connections; the cost of reading /proc/net/tcp does.
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
