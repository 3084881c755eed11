// The frame streams of the AM's server. Each stream is either joined to another stream or served by the AM itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "am_call.h"
#include "howdah/rpc/frames.h"

namespace howdah::rpc {

// Used on the loop thread only. The server owns the calls.
class JoinedCalls {
 public:
  // find returns the call with an id, or null if that call is over.
  explicit JoinedCalls(std::function<AmCall*(ConnectionId)> find) : find_(std::move(find)) {}

  // Keeps the first message of a call. No further message is read until the call is joined or served.
  void Hold(const AmCall& call, grpc::ByteBuffer first);
  void Join(ConnectionId tunnel, ConnectionId accepted);
  std::unique_ptr<FrameStream> Serve(ConnectionId tunnel, FrameStream::Handlers handlers);

  // Whether the first message of the call has been read.
  bool Has(const AmCall& call) const { return ends_.contains(call.id()); }
  void OnMessage(AmCall& call, grpc::ByteBuffer message);  // may destroy this object or the call
  void OnWritten(AmCall& call);
  void OnClosed(AmCall& call);  // may destroy this object
  void Forget(ConnectionId id) { ends_.erase(id); }
  // Called when the server is destroyed. Ignores all calls afterwards.
  void Detach();

 private:
  class Served;
  struct End {
    grpc::ByteBuffer first;            // the first message, kept until the call is joined
    std::optional<ConnectionId> peer;  // the joined call
    bool awaits_peer = false;          // a message is being written to the peer; the next one is read afterwards
    std::shared_ptr<FrameStream::Handlers> handlers;  // set if the AM itself serves the stream
  };

  std::function<AmCall*(ConnectionId)> find_;
  std::unordered_map<ConnectionId, End> ends_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace howdah::rpc
