#include "flight_call.h"

#include <map>

#include "howdah/base/text.h"

namespace howdah::feed::server {
namespace {

constexpr size_t kStatusBytes = 2000;  // gRPC sends the text of a status in a header, and limits headers to 8 KiB

}  // namespace

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const std::map<ErrorCode, grpc::StatusCode> codes = {{ErrorCode::kUsage, grpc::StatusCode::INVALID_ARGUMENT},
                                                       {ErrorCode::kUnavailable, grpc::StatusCode::UNAVAILABLE},
                                                       {ErrorCode::kNotFound, grpc::StatusCode::NOT_FOUND},
                                                       {ErrorCode::kTimeout, grpc::StatusCode::DEADLINE_EXCEEDED},
                                                       {ErrorCode::kNoSpace, grpc::StatusCode::RESOURCE_EXHAUSTED}};
  const auto code = codes.find(status.error().code);
  return {code == codes.end() ? grpc::StatusCode::INTERNAL : code->second,
          Shorten(status.error().message, kStatusBytes)};
}

void FlightCall::Await(grpc::AsyncGenericService& service, grpc::ServerCompletionQueue* queue) {
  context_.AsyncNotifyWhenDone(&on_done_);
  ++pending_;
  service.RequestCall(&context_, &stream_, queue, queue, &on_requested_);
}

void FlightCall::Read() {
  ++pending_;
  input_.reading.store(true, std::memory_order_release);
  stream_.Read(&input_.bytes, &on_read_);
}

void FlightCall::Write(grpc::ByteBuffer message) {
  if (state_.ending) return;
  output_.unsent += static_cast<int64_t>(message.Length());
  output_.queued.push_back(std::move(message));
  if (!state_.writing) WriteNext();
}

void FlightCall::End(grpc::Status status) {
  if (std::exchange(state_.ending, true)) return;
  status_ = std::move(status);
  if (!state_.writing) WriteNext();
}

// Decodes a block on the thread of the completion queue, which leaves the loop free for the readers.
void FlightCall::Decode(bool ok) {
  // The thread sanitizer does not see gRPC's locks, so this pair with Read states the order.
  if (!input_.reading.load(std::memory_order_acquire) || !ok || !has_data()) return;
  input_.data = DecodeData(input_.bytes);
  input_.bytes.Clear();
}

void FlightCall::OnRequested(bool ok) {
  --pending_;
  if (!ok) return;  // the server is shutting down; on_done_ is not returned
  ++pending_;       // on_done_
  state_.accepted = true;
  owner_->OnAccepted(*this);
}

void FlightCall::OnRead(bool ok) {
  --pending_;
  if (over()) return owner_->OnOver(*this);
  if (state_.ending) return;
  if (!ok) return owner_->OnNoMessage(*this);
  if (has_data() && !input_.data) {
    return End({grpc::StatusCode::INVALID_ARGUMENT, "the message is not a FlightData"});
  }
  owner_->OnMessage(*this);
}

void FlightCall::OnWrote(bool ok) {
  --pending_;
  state_.writing = false;
  output_.unsent -= std::exchange(output_.sending, 0);
  if (!ok) {  // the client is gone
    output_.queued.clear();
    output_.unsent = 0;
  }
  WriteNext();
  if (over()) return owner_->OnOver(*this);
  if (!state_.ending) owner_->OnSent(*this);
}

void FlightCall::OnEnded(bool) {
  --pending_;
  state_.ended = true;
  if (over()) owner_->OnOver(*this);
}

void FlightCall::OnDone(bool) {
  --pending_;
  if (over()) return owner_->OnOver(*this);
  if (context_.IsCancelled()) owner_->OnCancelled(*this);
}

void FlightCall::WriteNext() {
  if (!output_.queued.empty()) {
    state_.writing = true;
    output_.sending = static_cast<int64_t>(output_.queued.front().Length());
    ++pending_;
    stream_.Write(output_.queued.front(), &on_wrote_);
    output_.queued.pop_front();
  } else if (state_.ending && !std::exchange(state_.end_begun, true)) {
    ++pending_;
    stream_.Finish(status_, &on_ended_);
  }
}

}  // namespace howdah::feed::server
