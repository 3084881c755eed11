#include "frame_call.h"

#include <utility>

#include "grpc_setup.h"

namespace howdah::rpc {

FrameCall::FrameCall(std::shared_ptr<grpc::Channel> channel, const char* method, std::string address,
                     FrameStream::Handlers handlers, std::function<void(FrameCall*)> on_finished)
    : method_(method),
      address_(std::move(address)),
      handlers_(std::make_shared<const FrameStream::Handlers>(std::move(handlers))),
      on_finished_(std::move(on_finished)),
      stub_(std::move(channel)) {}

void FrameCall::Start(Completions& completions) {
  context_.set_wait_for_ready(false);  // a refused connection means that the AM is gone
  stream_ = stub_.PrepareCall(&context_, method_, completions.queue());
  ++pending_;
  stream_->StartCall(&on_started_);
}

void FrameCall::Send(const wire::Frame& frame) {
  if (state_.finishing || state_.ending) return;
  queued_.push_back(frame);
  WriteNext();
}

void FrameCall::Finish() {
  state_.finishing = true;
  WriteNext();
}

void FrameCall::Cancel() {
  handlers_.reset();
  state_.finishing = true;
  queued_.clear();
  context_.TryCancel();
}

void FrameCall::OnStarted(bool ok) {
  --pending_;
  if (!ok) return End();
  state_.started = true;
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
  if (!state_.started || state_.writing || state_.ending) return;
  if (!queued_.empty()) {
    state_.writing = true;
    ++pending_;
    stream_->Write(queued_.front(), &on_wrote_);  // Write serialises the frame before it returns
    queued_.pop_front();
  } else if (state_.finishing && !state_.half_closed) {
    state_.half_closed = true;
    ++pending_;
    stream_->WritesDone(&on_half_closed_);
  }
}

void FrameCall::OnWrote(bool ok) {
  --pending_;
  state_.writing = false;
  if (ok) WriteNext();  // if not ok, the stream is broken, so the pending read fails, too
  FinishIfOver();
}

void FrameCall::OnHalfClosed(bool) {
  --pending_;
  FinishIfOver();
}

void FrameCall::End() {
  if (std::exchange(state_.ending, true)) return;
  queued_.clear();
  ++pending_;
  stream_->Finish(&status_, &on_ended_);
}

void FrameCall::OnEnded(bool) {
  --pending_;
  state_.ended = true;
  const auto self = shared_from_this();
  if (const auto handlers = std::exchange(handlers_, nullptr)) handlers->on_closed(WhyClosed());
  FinishIfOver();
}

void FrameCall::FinishIfOver() {
  if (!state_.ended || pending_ > 0) return;
  if (const auto on_finished = std::exchange(on_finished_, nullptr)) on_finished(this);  // may destroy *this
}

std::string FrameCall::WhyClosed() const {
  const std::string am = "the application master at " + address_;
  if (status_.ok()) return am + " closed the connection";
  if (status_.error_code() == grpc::StatusCode::PERMISSION_DENIED) return am + " refused: " + Explain(status_);
  if (status_.error_code() == grpc::StatusCode::UNIMPLEMENTED)
    return am + " has another version of Howdah and does not support this request";
  return (state_.started ? "the connection to " + am + " broke: " : am + " cannot be reached: ") + Explain(status_);
}

}  // namespace howdah::rpc
