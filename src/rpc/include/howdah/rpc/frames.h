// Frame streams (proto/howdah/tunnel.proto). Each stream carries one TCP connection into a running job, or the input
// and output of one process there.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"
#include "howdah/rpc/post.h"
#include "howdah/wire/tunnel.pb.h"

namespace howdah::rpc {

// One end of a stream. Used on the owner's loop thread only. The send queue is unbounded, so the sender must limit it
// by counting acknowledged bytes (Taken). The destructor ends the stream immediately, and may be called from a handler.
// No handler is called afterwards.
class FrameStream {
 public:
  struct Handlers {
    std::function<void(wire::Frame)> on_frame;
    std::function<void(std::string why)> on_closed;  // the last handler, called once
  };
  virtual ~FrameStream() = default;
  virtual void Send(const wire::Frame& frame) = 0;
  // Sends the queued frames, then ends the stream. on_closed follows when the remaining frames of the peer have been
  // received.
  virtual void Finish() = 0;
};

// A connection from a client or executor to its AM, for any number of streams.
class FrameChannel {
 public:
  enum class Method {
    kTunnel,        // the first frame is an Open
    kAcceptTunnel,  // for executors: the first frame has the id of an OpenTunnel
  };
  // address: as for ExecutorLink::Connect. The first call of Open makes the connection. connect_limit: the maximum time
  // for making the connection.
  static Result<std::unique_ptr<FrameChannel>> Make(const std::string& address, const Identity& identity, Post post,
                                                    Duration connect_limit);
  // Ends every stream without calling its handlers.
  virtual ~FrameChannel() = default;
  // Returns immediately; frames are queued until the connection is established.
  virtual std::unique_ptr<FrameStream> Open(Method method, FrameStream::Handlers handlers) = 0;
};

}  // namespace howdah::rpc
