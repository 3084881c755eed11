// The AM's end of every connection: executors' streams and clients' calls, on one TLS port.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/control.pb.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::rpc {

// Runs a closure on the owner's loop thread; callable from any thread.
using Post = std::function<void(std::function<void()>)>;

// One executor's stream or one client's Follow; never used twice.
using ConnectionId = uint64_t;

// The bytes of field `cluster` of a ToExecutor, encoded once and shared by every send.
class SharedCluster;
std::shared_ptr<const SharedCluster> EncodeCluster(const wire::Cluster& cluster);

class AmServer {
 public:
  // All are called on the owner's loop thread (through Post), never after the destructor has begun. A handler may
  // destroy the server.
  struct Handlers {
    std::function<void(ConnectionId, wire::FromExecutor)> on_message;
    std::function<void(ConnectionId)> on_closed;  // the last of a connection, also of one that never said anything
    // `reply` is called once, now or later, on the loop thread.
    std::function<void(wire::ControlRequest, std::function<void(wire::ControlReply)> reply)> on_control;
    // A client follows the job. Once for each, with its request; on_follower_gone is its last.
    std::function<void(ConnectionId, wire::FollowRequest)> on_follow;
    // One message of SendToFollower is on its way, in the order of sending; a client that does not read has no more.
    std::function<void(ConnectionId)> on_follow_written;
    std::function<void(ConnectionId)> on_follower_gone;
  };

  // Listens on host (an address of this machine: "127.0.0.1", "0.0.0.0") and a port that was free. Only parties with a
  // certificate of the job get in: executors may attach, clients may call; anybody else is refused.
  static Result<std::unique_ptr<AmServer>> Start(const std::string& host, const Identity& identity, Post post,
                                                 Handlers handlers);
  // Lets what was sent last leave (100 ms at most), closes every connection and waits for gRPC's threads.
  virtual ~AmServer() = default;

  virtual uint16_t port() const = 0;
  // Queues a message; messages of one connection arrive in order. cluster may be null. A connection that is gone is
  // ignored.
  virtual void Send(ConnectionId to, const wire::ToExecutor& message, std::shared_ptr<const SharedCluster> cluster) = 0;
  // Queues a message to a client that follows. The queue has no limit of its own: the caller counts on_follow_written.
  virtual void SendToFollower(ConnectionId to, const wire::FollowReply& message) = 0;
  // Of an executor or a follower: sends what is queued, then ends its call.
  virtual void Close(ConnectionId connection) = 0;
};

}  // namespace howdah::rpc
