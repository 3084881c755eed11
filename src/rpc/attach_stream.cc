#include "attach_stream.h"

#include <chrono>
#include <utility>

#include "grpc_setup.h"

namespace howdah::rpc {
namespace {

constexpr Duration kEndLimit = std::chrono::seconds(5);

gpr_timespec After(Duration limit) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(limit.count(), GPR_TIMESPAN));
}

// A broken network sends no FIN, and a hung AM no answer: send a ping after 10 s of silence, and expect an answer
// within 20 s.
grpc::ChannelArguments WithKeepAlive() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  return arguments;
}

}  // namespace

AttachStream::AttachStream(Completions& completions, std::shared_ptr<grpc::Channel> channel, std::string address,
                           ExecutorLink::Handlers handlers, Duration connect_limit)
    : queue_(completions.queue()),
      channel_(std::move(channel)),
      address_(std::move(address)),
      handlers_(std::make_shared<const ExecutorLink::Handlers>(std::move(handlers))),
      connect_timeout_(connect_limit),
      stub_(channel_) {
  context_.set_wait_for_ready(true);
  call_ = stub_.PrepareCall(&context_, kAttachMethod, queue_);
  call_->StartCall(&on_started_);
  connect_limit_.Set(queue_, After(connect_limit), &on_connect_limit_);
}

void AttachStream::Send(const wire::FromExecutor& message) {
  if (state_.finishing || state_.ending) return;
  queued_.push_back(message);
  if (state_.started) WriteNext();
}

void AttachStream::Finish() {
  if (state_.finishing || state_.ending) return;
  state_.finishing = true;
  if (!state_.started) return;  // the stream is not connected yet, so the connect limit applies
  LimitEnd();
  WriteNext();
}

void AttachStream::Cancel() {
  handlers_.reset();
  state_.finishing = state_.ending = true;
  context_.TryCancel();
  connect_limit_.Cancel();
  end_limit_.Cancel();
}

void AttachStream::OnStarted(bool ok) {
  connect_limit_.Cancel();
  if (!ok) return End();
  state_.started = true;
  if (state_.finishing) LimitEnd();
  Read();
  WriteNext();
}

void AttachStream::Read() { call_->Read(&incoming_, &on_read_); }

void AttachStream::OnRead(bool ok) {
  if (!ok) return End();
  auto handlers = handlers_;
  if (!handlers) return;
  std::weak_ptr<char> alive = alive_;
  handlers->on_message(std::move(incoming_));
  if (alive.expired()) return;
  incoming_.Clear();
  Read();
}

void AttachStream::WriteNext() {
  if (state_.writing || state_.ending) return;
  if (!queued_.empty()) {
    state_.writing = true;
    call_->Write(queued_.front(), &on_wrote_);  // Write serialises the message before it returns
    queued_.pop_front();
  } else if (state_.finishing && !state_.half_closed) {
    state_.half_closed = true;
    call_->WritesDone(&on_half_closed_);
  }
}

void AttachStream::OnWrote(bool ok) {
  state_.writing = false;
  if (!ok) return;  // the stream is broken, so the pending read fails, too
  WriteNext();
  const auto handlers = handlers_;
  if (!state_.writing && handlers && handlers->on_sent) handlers->on_sent();  // may destroy *this
}

void AttachStream::OnHalfClosed(bool) {}

void AttachStream::End() {
  if (state_.ending) return;
  state_.ending = true;
  queued_.clear();
  LimitEnd();  // gRPC delivers no status if an invalid message broke the stream
  call_->Finish(&status_, &on_ended_);
}

void AttachStream::LimitEnd() {
  if (std::exchange(state_.limiting_end, true)) return;
  end_limit_.Set(queue_, After(kEndLimit), &on_end_limit_);
}

void AttachStream::OnEnded(bool) {
  end_limit_.Cancel();
  if (auto handlers = std::exchange(handlers_, nullptr)) handlers->on_closed(WhyClosed());
}

void AttachStream::OnConnectLimit(bool ran_out) {
  if (!ran_out || state_.started) return;
  state_.over_connect_limit = true;
  context_.TryCancel();
}

void AttachStream::OnEndLimit(bool ran_out) {
  if (!ran_out) return;
  state_.over_end_limit = true;
  context_.TryCancel();
}

std::string AttachStream::WhyClosed() const {
  std::string am = "the AM at " + address_;
  if (state_.over_connect_limit) return am + " could not be reached within " + FormatDuration(connect_timeout_);
  if (status_.ok()) return am + " closed the connection";
  if (state_.over_end_limit) return am + " did not accept the remaining messages";
  if (status_.error_code() == grpc::StatusCode::PERMISSION_DENIED) return am + " refused: " + Explain(status_);
  return "the connection to " + am + " broke: " + Explain(status_);
}

Result<std::shared_ptr<grpc::Channel>> MakeExecutorChannel(const std::string& address, const Identity& identity) {
  grpc::ChannelArguments arguments = WithKeepAlive();
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return MakeChannel(address, identity, std::move(arguments));
}

std::shared_ptr<grpc::Channel> MakeExecutorChannel(os::files::Fd socket) {
  return MakeSocketChannel(std::move(socket), WithKeepAlive());
}

}  // namespace howdah::rpc
