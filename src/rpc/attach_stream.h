// The executor's side of one Attach call, its gRPC stream to the AM. Several streams may share a completion queue.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <deque>
#include <memory>
#include <string>

#include "howdah/rpc/completions.h"
#include "howdah/rpc/executor_link.h"

namespace howdah::rpc {

// Used on the loop thread only.
class AttachStream {
 public:
  AttachStream(Completions& completions, std::shared_ptr<grpc::Channel> channel, std::string address,
               ExecutorLink::Handlers handlers, Duration connect_limit);
  // Must be destroyed only after the completion queue was destroyed, or after on_closed if no operation is pending.
  ~AttachStream() = default;
  AttachStream(const AttachStream&) = delete;
  AttachStream& operator=(const AttachStream&) = delete;

  void Send(const wire::FromExecutor& message);
  void Finish();
  void Cancel();  // makes pending operations end soon; no handler is called afterwards

 private:
  using Call = grpc::ClientAsyncReaderWriter<wire::FromExecutor, wire::ToExecutor>;

  void OnStarted(bool ok);
  void OnRead(bool ok);
  void OnWrote(bool ok);
  void OnHalfClosed(bool ok);
  void OnEnded(bool ok);
  void OnConnectLimit(bool ran_out);
  void OnEndLimit(bool ran_out);

  void Read();
  void WriteNext();
  void End();
  void LimitEnd();
  std::string WhyClosed() const;

  grpc::CompletionQueue* queue_;
  std::shared_ptr<grpc::Channel> channel_;
  std::string address_;
  std::shared_ptr<const ExecutorLink::Handlers> handlers_;  // null when no handler may be called any more
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires when a handler destroys this stream
  const Duration connect_timeout_;

  grpc::TemplatedGenericStub<wire::FromExecutor, wire::ToExecutor> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<Call> call_;
  grpc::Alarm connect_limit_, end_limit_;
  grpc::Status status_;
  wire::ToExecutor incoming_;
  std::deque<wire::FromExecutor> queued_;
  struct State {
    bool started = false, writing = false, finishing = false, half_closed = false, ending = false;
    bool limiting_end = false, over_connect_limit = false, over_end_limit = false;
  };
  State state_;

  OperationOf<AttachStream, &AttachStream::OnStarted> on_started_{this};
  OperationOf<AttachStream, &AttachStream::OnRead> on_read_{this};
  OperationOf<AttachStream, &AttachStream::OnWrote> on_wrote_{this};
  OperationOf<AttachStream, &AttachStream::OnHalfClosed> on_half_closed_{this};
  OperationOf<AttachStream, &AttachStream::OnEnded> on_ended_{this};
  OperationOf<AttachStream, &AttachStream::OnConnectLimit> on_connect_limit_{this};
  OperationOf<AttachStream, &AttachStream::OnEndLimit> on_end_limit_{this};
};

// Creates a channel for executors. It retries until the first connection is made, and detects a silent network.
Result<std::shared_ptr<grpc::Channel>> MakeExecutorChannel(const std::string& address, const Identity& identity);
// The same over a connected socket. This channel does not reconnect.
std::shared_ptr<grpc::Channel> MakeExecutorChannel(os::files::Fd socket);

}  // namespace howdah::rpc
