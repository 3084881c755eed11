// The AM's end of every connection: executors' streams and clients' calls, on one TLS port.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/rpc/frames.h"
#include "howdah/rpc/identity.h"
#include "howdah/rpc/post.h"
#include "howdah/wire/control.pb.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::rpc {

// One executor's stream, one client's Follow or one stream of frames; never used twice.
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
    // A client, or an executor for its task, wants a stream into the job. It is answered by Join, Serve or Refuse, now
    // or later; until then nothing more is read from it.
    std::function<void(ConnectionId, wire::Open)> on_tunnel;
    // An executor brings the stream it was asked for, by its id. Answered by Join or Close.
    std::function<void(ConnectionId, uint64_t id)> on_carry;
  };

  // Listens on host (an address of this machine: "127.0.0.1", "0.0.0.0") and on port if it can be had, else on one that
  // was free. Only parties with a
  // certificate of the job get in: executors may attach, clients may call; anybody else is refused.
  static Result<std::unique_ptr<AmServer>> Start(const std::string& host, const Identity& identity, Post post,
                                                 Handlers handlers, uint16_t port = 0);
  // Lets what was sent last leave (100 ms at most), closes every connection and waits for gRPC's threads.
  virtual ~AmServer() = default;

  virtual uint16_t port() const = 0;
  // Queues a message; messages of one connection arrive in order. cluster may be null. A connection that is gone is
  // ignored.
  virtual void Send(ConnectionId to, const wire::ToExecutor& message, std::shared_ptr<const SharedCluster> cluster) = 0;
  // Queues a message to a client that follows. The queue has no limit of its own: the caller counts on_follow_written.
  virtual void SendToFollower(ConnectionId to, const wire::FollowReply& message) = 0;
  // Of a client's Tunnel and the executor's Carry for it: from now on what either sends, the Open first, goes to the
  // other as it is and no faster than that reads; the end of one is the end of the other. Either may be gone already.
  virtual void Join(ConnectionId tunnel, ConnectionId carry) = 0;
  // The AM itself is the far end of a Tunnel. null: it is gone.
  virtual std::unique_ptr<FrameStream> Serve(ConnectionId tunnel, FrameStream::Handlers handlers) = 0;
  // Tells who opened a Tunnel why there is nothing to speak to, and ends it.
  virtual void Refuse(ConnectionId tunnel, const std::string& why) = 0;
  // Of an executor, a follower or a Carry: sends what is queued, then ends its call.
  virtual void Close(ConnectionId connection) = 0;
};

}  // namespace howdah::rpc
