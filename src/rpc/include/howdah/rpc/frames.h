// Frame streams (proto/howdah/tunnel.proto): each transports one connection or process into a running job.
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

// One end of a stream. Used on the owner's loop thread only. The send queue is unbounded: the sender limits it by
// counting acknowledged bytes (Taken). Destruction ends the stream immediately, also from within a handler; no handler
// is called afterwards.
class FrameStream {
 public:
  struct Handlers {
    std::function<void(wire::Frame)> on_frame;
    std::function<void(std::string why)> on_closed;  // called once, last
  };
  virtual ~FrameStream() = default;
  virtual void Send(const wire::Frame& frame) = 0;
  // Sends the queued frames, then ends the stream; on_closed follows after the remaining frames of the peer.
  virtual void Finish() = 0;
};

// A connection of a client or executor to its AM, for any number of streams.
class FrameChannel {
 public:
  enum class Method {
    kTunnel,        // the first frame is an Open
    kAcceptTunnel,  // for executors: the first frame has the id of an OpenTunnel
  };
  // address: as for ExecutorLink::Connect. Connects at the first Open; connect_limit: the time for that.
  static Result<std::unique_ptr<FrameChannel>> Make(const std::string& address, const Identity& identity, Post post,
                                                    Duration connect_limit);
  // Ends every stream without calling its handlers.
  virtual ~FrameChannel() = default;
  // Returns immediately; frames are queued until the connection is established.
  virtual std::unique_ptr<FrameStream> Open(Method method, FrameStream::Handlers handlers) = 0;
};

}  // namespace howdah::rpc
