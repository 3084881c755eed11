// Streams of frames (proto/howdah/tunnel.proto): one carries a connection or a process into a running job.
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

// One end of a stream. Everything on the owner's loop thread. Its queue has no limit: who sends counts what the other
// end has taken. Destroying it ends the stream at once, also from within a handler; then no handler is called any more.
class FrameStream {
 public:
  struct Handlers {
    std::function<void(wire::Frame)> on_frame;
    std::function<void(std::string why)> on_closed;  // once, the last
  };
  virtual ~FrameStream() = default;
  virtual void Send(const wire::Frame& frame) = 0;
  // Sends what is queued, then ends the stream; on_closed follows, after what the other end still says.
  virtual void Finish() = 0;
};

// A client's or an executor's connection to its AM for any number of streams.
class FrameChannel {
 public:
  enum class Method {
    kTunnel,  // the first frame is an Open
    kCarry,   // the first frame is the id of an OpenTunnel; executors only
  };
  // address: as ExecutorLink::Connect takes it. Connects at the first Open; connect_limit: how long that may take.
  static Result<std::unique_ptr<FrameChannel>> Make(const std::string& address, const Identity& identity, Post post,
                                                    Duration connect_limit);
  // Ends every stream without a word to its handlers.
  virtual ~FrameChannel() = default;
  // Returns at once; what is sent before the connection stands is kept.
  virtual std::unique_ptr<FrameStream> Open(Method method, FrameStream::Handlers handlers) = 0;
};

}  // namespace howdah::rpc
