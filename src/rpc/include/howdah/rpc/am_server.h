// The AM's gRPC server for executors' streams and clients' calls, on one TLS port.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"
#include "howdah/rpc/frames.h"
#include "howdah/rpc/identity.h"
#include "howdah/rpc/peers.h"
#include "howdah/rpc/post.h"
#include "howdah/wire/control.pb.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::rpc {

// Identifies an executor's stream, a client's Follow call or a frame stream. Ids are not reused.
using ConnectionId = uint64_t;

// The bytes of field `cluster` of ToExecutor, encoded once and shared by all messages.
class SharedCluster;
std::shared_ptr<const SharedCluster> EncodeCluster(const wire::Cluster& cluster);

class AmServer {
 public:
  // Called on the owner's loop thread (through Post), never after the destructor has begun. A handler may destroy the
  // server.
  struct Handlers {
    std::function<void(ConnectionId, wire::FromExecutor)> on_message;
    // This is the last call for a connection. It is made even if the connection sent nothing.
    std::function<void(ConnectionId)> on_closed;
    // A client sends a request. Call `reply` once, immediately or later, on the loop thread.
    std::function<void(wire::ControlRequest, std::function<void(wire::ControlReply)> reply)> on_control;
    // A client follows the job. Called once per client, with its request. on_follower_gone is the last call for that
    // client.
    std::function<void(ConnectionId, wire::FollowRequest)> on_follow;
    // A client watches the job's metrics. Apart from the type of its messages, the client is treated as a follower.
    std::function<void(ConnectionId, wire::MetricsRequest)> on_metrics;
    // One message of SendToFollower was sent. Called once per message, in order, and only while the client reads.
    std::function<void(ConnectionId)> on_follow_written;
    std::function<void(ConnectionId)> on_follower_gone;
    // A client, or an executor for its task, opens a tunnel: a stream into the job. Call Join, Serve or Refuse,
    // immediately or later. Until then the server reads no further frame of the tunnel.
    std::function<void(ConnectionId, wire::Open)> on_tunnel;
    // An executor accepts the tunnel with this id (see OpenTunnel). Call Join or Close.
    std::function<void(ConnectionId, uint64_t id)> on_accept_tunnel;
  };

  // Listens on host (an address of this machine: "127.0.0.1", "0.0.0.0") and on `port` if it is free, otherwise on any
  // free port. Peers need a certificate of the job. Executors may attach and clients may call; all other peers are
  // refused. Peers without a certificate cannot use up the server's descriptors or end its service.
  static Result<std::unique_ptr<AmServer>> Start(const std::string& host, const Identity& identity, Post post,
                                                 Handlers handlers, uint16_t port = 0, Peers peers = Peers::kAny);
  // Sends the last messages (for at most 100 ms), closes every connection and joins the thread.
  virtual ~AmServer() = default;

  virtual uint16_t port() const = 0;
  // Serves an executor without TLS. socket: one end of a pair of non-blocking unix sockets. Only an executor of this
  // job may have the other end, because the calls on it need no certificate.
  virtual void AddExecutor(os::files::Fd socket) = 0;
  // Queues a message; messages of one connection arrive in order. cluster may be null. Does nothing if the connection
  // is gone.
  virtual void Send(ConnectionId to, const wire::ToExecutor& message, std::shared_ptr<const SharedCluster> cluster) = 0;
  // Queues a message to a follower. The queue is unbounded, so the caller must limit it by counting on_follow_written.
  virtual void SendToFollower(ConnectionId to, const wire::FollowReply& message) = 0;
  virtual void SendToFollower(ConnectionId to, const wire::MetricsReply& message) = 0;
  // Joins a client's tunnel and the executor's call that accepts it. The server passes the frames of each side,
  // beginning with the Open, to the other side unchanged, and no faster than the other side reads. The end of one side
  // ends the other. Either side may be gone already.
  virtual void Join(ConnectionId tunnel, ConnectionId accepted) = 0;
  // Makes the AM itself the remote endpoint of a tunnel. Returns null if the connection is gone.
  virtual std::unique_ptr<FrameStream> Serve(ConnectionId tunnel, FrameStream::Handlers handlers) = 0;
  // Reports to the peer that opened the tunnel why it cannot be opened, and ends the tunnel.
  virtual void Refuse(ConnectionId tunnel, const std::string& why) = 0;
  // For executors, followers and accepted tunnels: sends the queued messages, then ends the call.
  virtual void Close(ConnectionId connection) = 0;
};

}  // namespace howdah::rpc
