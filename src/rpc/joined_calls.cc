#include "joined_calls.h"

#include <utility>

#include "messages.h"

namespace howdah::rpc {

// The AM's end of a stream that the AM itself serves.
class JoinedCalls::Served final : public FrameStream {
 public:
  Served(JoinedCalls* calls, ConnectionId id) : calls_(calls), alive_(calls->alive_), id_(id) {}
  ~Served() override {
    if (AmCall* call = Find()) call->End(grpc::Status::OK);
    if (!alive_.expired()) calls_->Forget(id_);
  }
  void Send(const wire::Frame& frame) override {
    if (AmCall* call = Find()) call->Write(Encode(frame, nullptr));
  }
  void Finish() override {
    if (AmCall* call = Find()) call->End(grpc::Status::OK);
  }

 private:
  AmCall* Find() { return alive_.expired() ? nullptr : calls_->find_(id_); }

  JoinedCalls* calls_;
  std::weak_ptr<char> alive_;
  ConnectionId id_;
};

void JoinedCalls::Hold(const AmCall& call, grpc::ByteBuffer first) { ends_[call.id()].first = std::move(first); }

void JoinedCalls::Join(ConnectionId tunnel, ConnectionId accepted) {
  AmCall* caller = find_(tunnel);
  AmCall* accepting = find_(accepted);
  if (caller == nullptr || accepting == nullptr || !ends_.contains(tunnel)) {
    if (caller != nullptr) caller->End({grpc::StatusCode::UNAVAILABLE, "the executor has exited"});
    if (accepting != nullptr) accepting->End(grpc::Status::OK);
    return;
  }
  End& from = ends_[tunnel];
  from.peer = accepted;
  from.awaits_peer = true;
  ends_[accepted].peer = tunnel;
  accepting->Write(std::exchange(from.first, {}));
  accepting->Read();
}

std::unique_ptr<FrameStream> JoinedCalls::Serve(ConnectionId tunnel, FrameStream::Handlers handlers) {
  AmCall* call = find_(tunnel);
  if (call == nullptr || !ends_.contains(tunnel)) return nullptr;
  ends_[tunnel].handlers = std::make_shared<FrameStream::Handlers>(std::move(handlers));
  call->Read();
  return std::make_unique<Served>(this, tunnel);
}

void JoinedCalls::OnMessage(AmCall& call, grpc::ByteBuffer message) {
  const auto it = ends_.find(call.id());
  if (it == ends_.end()) return;
  if (it->second.peer) {
    AmCall* peer = find_(*it->second.peer);
    if (peer == nullptr) return call.End(grpc::Status::OK);
    it->second.awaits_peer = true;
    return peer->Write(std::move(message));
  }
  const auto handlers = it->second.handlers;
  wire::Frame frame;
  if (!handlers || !Parse(std::move(message), frame)) {
    call.End({grpc::StatusCode::INVALID_ARGUMENT, "the message is not a Frame"});
    return call.Read();  // this read fails and calls OnClosed
  }
  const ConnectionId id = call.id();
  const std::weak_ptr<char> alive = alive_;
  handlers->on_frame(std::move(frame));
  if (alive.expired()) return;
  if (AmCall* still = find_(id)) still->Read();
}

void JoinedCalls::OnWritten(AmCall& call) {
  const auto it = ends_.find(call.id());
  if (it == ends_.end() || !it->second.peer) return;
  const auto peer = ends_.find(*it->second.peer);
  if (peer == ends_.end() || !std::exchange(peer->second.awaits_peer, false)) return;
  if (AmCall* reader = find_(peer->first)) reader->Read();
}

void JoinedCalls::OnClosed(AmCall& call) {
  const auto it = ends_.find(call.id());
  if (it == ends_.end()) return;
  const End end = std::move(it->second);
  ends_.erase(it);
  if (end.handlers) return end.handlers->on_closed("the client has closed the connection");
  if (!end.peer) return;
  if (AmCall* peer = find_(*end.peer)) peer->End(grpc::Status::OK);
  ends_.erase(*end.peer);
}

void JoinedCalls::Detach() {
  alive_.reset();
  find_ = [](ConnectionId) -> AmCall* { return nullptr; };
}

}  // namespace howdah::rpc
