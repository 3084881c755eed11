#include "am_call.h"

#include <grpc/grpc_security_constants.h>

#include <utility>

namespace howdah::rpc {

void AmCall::Await() {
  ++pending_;
  server_.service().RequestCall(&context_, &stream_, server_.queue(), server_.queue(), &on_requested_);
}

void AmCall::OnRequested(bool ok) {
  --pending_;
  if (ok) owner_->OnAccepted(*this);  // if not ok, the server is shutting down
}

std::string AmCall::PeerName() const {
  auto names = context_.auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
  return names.size() == 1 ? std::string(names[0].data(), names[0].size()) : "";
}

void AmCall::Read() {
  ++pending_;
  stream_.Read(&incoming_, &on_read_);
}

void AmCall::OnRead(bool ok) {
  --pending_;
  if (!ok) {
    End(grpc::Status::OK);
    owner_->OnClosed(*this);
  } else if (ending_) {
    Read();  // after End, input is discarded; the failing last read calls OnClosed
  } else {
    owner_->OnMessage(*this, std::exchange(incoming_, {}));
  }
}

void AmCall::Write(grpc::ByteBuffer message) {
  if (ending_) return;
  queued_.push_back(std::move(message));
  if (!writing_) WriteNext();
}

void AmCall::End(grpc::Status status) {
  if (std::exchange(ending_, true)) return;
  status_ = std::move(status);
  if (!writing_) WriteNext();
}

void AmCall::WriteNext() {
  if (!queued_.empty()) {
    writing_ = true;
    ++pending_;
    stream_.Write(queued_.front(), &on_wrote_);
    queued_.pop_front();
  } else if (ending_ && !std::exchange(end_begun_, true)) {
    ++pending_;
    stream_.Finish(status_, &on_ended_);
  }
}

void AmCall::OnWrote(bool ok) {
  --pending_;
  writing_ = false;
  if (!ok) queued_.clear();  // the peer is gone, so the pending read fails, too
  WriteNext();
  if (over()) return owner_->OnOver(*this);
  if (ok) owner_->OnWritten(*this);
}

void AmCall::OnEnded(bool) {
  --pending_;
  ended_ = true;
  if (over()) owner_->OnOver(*this);
}

}  // namespace howdah::rpc
