// The AM's streams of frames: each joined to another one, or served by the AM itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "am_call.h"
#include "howdah/rpc/frames.h"

namespace howdah::rpc {

// All of it on the loop thread. The calls belong to the server.
class JoinedCalls {
 public:
  // find: a call by its id, or null once it is over.
  explicit JoinedCalls(std::function<AmCall*(ConnectionId)> find) : find_(std::move(find)) {}

  // The first message of a call has been read, and nothing is read until it is joined or served.
  void Hold(const AmCall& call, grpc::ByteBuffer first);
  void Join(ConnectionId tunnel, ConnectionId carry);
  std::unique_ptr<FrameStream> Serve(ConnectionId tunnel, FrameStream::Handlers handlers);

  // Whether the call's first message has been read.
  bool Has(const AmCall& call) const { return ends_.contains(call.id()); }
  void OnMessage(AmCall& call, grpc::ByteBuffer message);  // may destroy this, or the call
  void OnWritten(AmCall& call);
  void OnClosed(AmCall& call);  // may destroy this
  void Forget(ConnectionId id) { ends_.erase(id); }
  // The server goes: nothing is found any more.
  void Detach();

 private:
  class Served;
  struct End {
    grpc::ByteBuffer first;                           // until joined
    std::optional<ConnectionId> peer;                 // joined to it
    bool awaits_peer = false;                         // a message of it is on its way to the peer; then it is read on
    std::shared_ptr<FrameStream::Handlers> handlers;  // served by the AM
  };

  std::function<AmCall*(ConnectionId)> find_;
  std::unordered_map<ConnectionId, End> ends_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace howdah::rpc
