// The caller's side of one frame stream. The streams of a channel share one completion queue.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "howdah/rpc/completions.h"
#include "howdah/rpc/frames.h"

namespace howdah::rpc {

// Used on the loop thread only. Must exist until on_finished is called or the completion queue is destroyed, because
// until then gRPC holds operations of this object.
class FrameCall : public std::enable_shared_from_this<FrameCall> {
 public:
  // on_finished is called once, as the last callback. gRPC then no longer holds an operation of this call.
  FrameCall(std::shared_ptr<grpc::Channel> channel, const char* method, std::string address,
            FrameStream::Handlers handlers, std::function<void(FrameCall*)> on_finished);
  FrameCall(const FrameCall&) = delete;
  FrameCall& operator=(const FrameCall&) = delete;

  void Start(Completions& completions);
  void Send(const wire::Frame& frame);
  void Finish();
  void Cancel();  // no handler is called afterwards, except on_finished

 private:
  using Stream = grpc::ClientAsyncReaderWriter<wire::Frame, wire::Frame>;

  void OnStarted(bool ok);
  void OnRead(bool ok);
  void OnWrote(bool ok);
  void OnHalfClosed(bool ok);
  void OnEnded(bool ok);

  void Read();
  void WriteNext();
  void End();
  void FinishIfOver();
  std::string WhyClosed() const;

  const char* const method_;
  const std::string address_;
  std::shared_ptr<const FrameStream::Handlers> handlers_;  // null when no handler may be called any more
  std::function<void(FrameCall*)> on_finished_;
  grpc::TemplatedGenericStub<wire::Frame, wire::Frame> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<Stream> stream_;
  grpc::Status status_;
  wire::Frame incoming_;
  std::deque<wire::Frame> queued_;
  int pending_ = 0;  // operations held by gRPC
  struct State {
    bool started = false, writing = false, finishing = false, half_closed = false, ending = false, ended = false;
  };
  State state_;

  OperationOf<FrameCall, &FrameCall::OnStarted> on_started_{this};
  OperationOf<FrameCall, &FrameCall::OnRead> on_read_{this};
  OperationOf<FrameCall, &FrameCall::OnWrote> on_wrote_{this};
  OperationOf<FrameCall, &FrameCall::OnHalfClosed> on_half_closed_{this};
  OperationOf<FrameCall, &FrameCall::OnEnded> on_ended_{this};
};

}  // namespace howdah::rpc
