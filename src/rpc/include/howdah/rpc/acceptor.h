// Accepts the connections of a gRPC server: that of the AM, and those for feeds.
//
// gRPC 1.51 does not accept them itself, for two reasons. It stops accepting permanently once accept4 fails because the
// process has no free descriptor (CVE-2023-4785), and it keeps any number of connections whose peers never finish their
// handshake. Anybody who can reach the port could use up the descriptors of the process, or end its service.
//
// The acceptor passes a connection to gRPC immediately, and counts it as unfinished until its handshake is known to
// have finished. gRPC does not report this, but there are two signs. The first call on the connection is one, because
// only peers with a certificate of the job can make calls. The age `handshake` is the other, because gRPC closes a
// connection whose handshake takes longer. The number of unfinished connections is limited: at the limit, the acceptor
// waits until one of them is finished, and closes the oldest one when it has been unfinished for `patience`.
//
// With Peers::kSameUser all peers are on this machine. The kernel reports the user of each connection, and connections
// of other users are closed immediately.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/net/peer_user.h"
#include "howdah/rpc/peers.h"

namespace howdah::rpc {

class Acceptor {
 public:
  struct Limits {
    // Large enough for the executors of a big gang, which all connect at the same time. A flood of idle connections is
    // closed at unfinished / patience = 256 a second, so that others are accepted among them.
    size_t unfinished = 256;
    std::chrono::milliseconds patience{1'000};
    std::chrono::milliseconds handshake{10'000};
    // Peers need no certificate, so a handshake identifies nobody: a connection without a call at the age `handshake`
    // is closed.
    bool needs_call = false;
  };
  // Receives a connected, non-blocking socket and owns it from then on. Called on the acceptor's thread.
  using Take = std::function<void(int socket)>;

  // Listens on an address of this machine. port: 0 for any free port.
  static Result<std::unique_ptr<Acceptor>> Listen(const std::string& host, uint16_t port, const Limits& limits,
                                                  Peers peers);
  // Stops accepting and joins the thread.
  ~Acceptor();

  uint16_t port() const { return port_; }
  // Begins to accept. Connections that arrive before this call wait.
  void Start(Take take);
  // Reports that an admitted call has arrived from this peer, as named by grpc::ServerContext::peer(). Thread-safe.
  void OnCall(const std::string& peer);

 private:
  using Clock = std::chrono::steady_clock;
  struct Unfinished {
    std::string peer;
    os::files::Fd socket;  // a duplicate of the socket that gRPC owns
    Clock::time_point begun;
  };

  Acceptor(os::files::Fd listener, uint16_t port, const Limits& limits, Peers peers);
  void Run(const Take& take);
  // Waits until there is work. Returns whether a connection can be accepted.
  bool Wait(bool accepting, Clock::time_point until);
  void RemoveFinished();
  void AcceptSome(const Take& take);
  bool IsStranger(int socket) const;
  // Passes an accepted connection on. Returns false if the process has no free descriptor.
  bool Accepted(os::files::Fd socket, std::string peer, const Take& take);
  void OnDescriptorsUsedUp();
  void Pause() { paused_until_ = Clock::now() + std::chrono::milliseconds(100); }
  void CloseOldest();
  void Wake();

  const os::files::Fd listener_;
  const uint16_t port_;
  const Limits limits_;
  const std::unique_ptr<os::net::PeerUsers> users_;  // null if any user may connect
  os::files::Fd wake_;                               // an eventfd
  os::files::Fd reserve_;             // closed temporarily, to accept and close a connection when no descriptor is free
  std::list<Unfinished> unfinished_;  // oldest first; used by the thread only
  Clock::time_point paused_until_{};  // used by the thread only
  std::mutex mutex_;
  std::vector<std::string> callers_;  // guarded by mutex_
  bool stopping_ = false;             // guarded by mutex_
  std::thread thread_;
};

}  // namespace howdah::rpc
