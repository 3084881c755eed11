// Asks the kernel for the user at the other end of a TCP connection within this machine.
#pragma once

#include <sys/types.h>

#include <optional>

#include "howdah/os/files/fd.h"

namespace howdah::rpc {

// Uses sock_diag(7). Its cost does not depend on the number of connections; the cost of reading /proc/net/tcp does.
class PeerUsers {
 public:
  PeerUsers();

  // socket: a connected TCP socket whose peer is on this machine, in the same network namespace. Returns the user who
  // opened the peer's socket. Returns nullopt if the kernel does not support this query, or if the peer has closed
  // its socket.
  std::optional<uid_t> UserOf(int socket) const;

 private:
  os::files::Fd netlink_;
};

}  // namespace howdah::rpc
