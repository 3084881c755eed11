#include "frame_call.h"

#include <utility>

#include "grpc_setup.h"

namespace howdah::rpc {

FrameCall::FrameCall(std::shared_ptr<grpc::Channel> channel, const char* method, std::string address,
                     FrameStream::Handlers handlers, std::function<void(FrameCall*)> on_over)
    : method_(method),
      address_(std::move(address)),
      handlers_(std::make_shared<const FrameStream::Handlers>(std::move(handlers))),
      on_over_(std::move(on_over)),
      stub_(std::move(channel)) {}

void FrameCall::Start(Completions& completions) {
  context_.set_wait_for_ready(false);  // fail at once if the connection is refused: the AM is gone
  stream_ = stub_.PrepareCall(&context_, method_, completions.queue());
  ++pending_;
  stream_->StartCall(&on_started_);
}

void FrameCall::Send(const wire::Frame& frame) {
  if (finishing_ || ending_) return;
  queued_.push_back(frame);
  WriteNext();
}

void FrameCall::Finish() {
  finishing_ = true;
  WriteNext();
}

void FrameCall::Cancel() {
  handlers_.reset();
  finishing_ = true;
  queued_.clear();
  context_.TryCancel();
}

void FrameCall::OnStarted(bool ok) {
  --pending_;
  if (!ok) return End();
  started_ = true;
  Read();
  WriteNext();
}

void FrameCall::Read() {
  ++pending_;
  incoming_.Clear();
  stream_->Read(&incoming_, &on_read_);
}

void FrameCall::OnRead(bool ok) {
  --pending_;
  if (!ok) return End();
  const auto self = shared_from_this();  // a handler may destroy the channel
  if (const auto handlers = handlers_) handlers->on_frame(std::move(incoming_));
  Read();
}

void FrameCall::WriteNext() {
  if (!started_ || writing_ || ending_) return;
  if (!queued_.empty()) {
    writing_ = true;
    ++pending_;
    stream_->Write(queued_.front(), &on_wrote_);  // serialised before Write returns
    queued_.pop_front();
  } else if (finishing_ && !half_closed_) {
    half_closed_ = true;
    ++pending_;
    stream_->WritesDone(&on_half_closed_);
  }
}

void FrameCall::OnWrote(bool ok) {
  --pending_;
  writing_ = false;
  if (ok) WriteNext();  // otherwise the stream is broken, and the read fails, too
  CloseIfOver();
}

void FrameCall::OnHalfClosed(bool) {
  --pending_;
  CloseIfOver();
}

void FrameCall::End() {
  if (std::exchange(ending_, true)) return;
  queued_.clear();
  ++pending_;
  stream_->Finish(&status_, &on_ended_);
}

void FrameCall::OnEnded(bool) {
  --pending_;
  ended_ = true;
  const auto self = shared_from_this();
  if (const auto handlers = std::exchange(handlers_, nullptr)) handlers->on_closed(WhyClosed());
  CloseIfOver();
}

void FrameCall::CloseIfOver() {
  if (!ended_ || pending_ > 0) return;
  if (const auto on_over = std::exchange(on_over_, nullptr)) on_over(this);  // may destroy *this
}

std::string FrameCall::WhyClosed() const {
  const std::string am = "the application master at " + address_;
  if (status_.ok()) return am + " closed the connection";
  if (status_.error_code() == grpc::StatusCode::PERMISSION_DENIED) return am + " refused: " + Explain(status_);
  if (status_.error_code() == grpc::StatusCode::UNIMPLEMENTED)
    return am + " has another version of Howdah and does not support this request";
  return (started_ ? "the connection to " + am + " broke: " : am + " cannot be reached: ") + Explain(status_);
}

}  // namespace howdah::rpc
