// Listening sockets, and the identity of the peers that connect to them.
#pragma once

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/net/peer_user.h"
#include "howdah/web/message.h"
#include "howdah/web/server.h"

namespace howdah::web {

// A socket that listens. Removes the file of a unix socket on destruction, unless another server has replaced it.
class ListeningSocket {
 public:
  // Returns kUnavailable if the address is in use. The socket is non-blocking.
  static Result<ListeningSocket> Open(const Endpoint& endpoint);
  ListeningSocket(ListeningSocket&& other) noexcept = default;
  ListeningSocket& operator=(ListeningSocket&& other) = delete;
  ~ListeningSocket();

  int fd() const { return fd_.get(); }
  const Endpoint& endpoint() const { return endpoint_; }  // with the actual port

 private:
  ListeningSocket(os::files::Fd fd, Endpoint endpoint) : fd_(std::move(fd)), endpoint_(std::move(endpoint)) {}
  static Result<ListeningSocket> OpenTcp(const Endpoint& endpoint);
  static Result<ListeningSocket> OpenUnix(const Endpoint& endpoint);

  os::files::Fd fd_;
  Endpoint endpoint_;
  uint64_t inode_ = 0;  // of the unix socket's file
};

// socket: accepted from the endpoint.
Peer IdentifyPeer(int socket, const Endpoint& endpoint, const os::net::PeerUsers& users);

}  // namespace howdah::web
