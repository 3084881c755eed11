// A client's side of a streaming call to the AM: sends one request, and receives replies on a thread of its own.
#pragma once

#include <grpcpp/client_context.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "grpc_setup.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/control.grpc.pb.h"

namespace howdah::rpc {

inline constexpr size_t kReadAhead = size_t{1} << 20;
// The HTTP/2 flow-control window: the maximum number of bytes in flight to the client.
inline constexpr int kWindow = 512 << 10;

// Interface: AmFollow or a class with the same functions.
template <typename Interface, typename Request, typename Reply>
class ClientStream final : public Interface {
 public:
  using Stream = grpc::ClientReaderWriter<Request, Reply>;
  struct Method {
    std::string doing;  // the action, for error messages: "following the job"
    std::unique_ptr<Stream> (*call)(wire::Control::Stub& stub, grpc::ClientContext* context);
    std::function<bool(const Reply& reply)> is_last;
  };

  ClientStream(Method method, const std::string& address, const Identity& identity, const Request& request,
               Duration connect_limit)
      : method_(std::move(method)),
        doing_(method_.doing + " at its AM at " + address),
        request_(request),
        more_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    const int millis = static_cast<int>(std::max<int64_t>(connect_limit.count() / 1000, 1));
    grpc::ChannelArguments arguments;
    // gRPC has no connect limit, so the minimum time between two attempts serves as the limit.
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, millis);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, millis);
    arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindow);
    // A broken network sends no FIN: send a ping after 10 s of silence, and expect an answer within 20 s.
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    auto channel = MakeChannel(address, identity, std::move(arguments));
    if (!channel) {
      result_ = channel.error();
      Signal();
      return;
    }
    channel_ = std::move(*channel);
    thread_ = std::thread([this] { Run(); });
  }

  ~ClientStream() override {
    {
      std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    context_.TryCancel();
    room_.notify_one();
    if (thread_.joinable()) thread_.join();
    if (more_ >= 0) close(more_);
  }

  int fd() const override { return more_; }

  std::optional<Reply> Next() override {
    std::lock_guard lock(mutex_);
    if (replies_.empty()) {
      uint64_t count = 0;
      if (!result_) static_cast<void>(!read(more_, &count, sizeof count));
      return std::nullopt;
    }
    Reply reply = std::move(replies_.front().message);
    bytes_ -= replies_.front().size;
    replies_.pop_front();
    room_.notify_one();
    return reply;
  }

  std::optional<Status> ended() const override {
    std::lock_guard lock(mutex_);
    return replies_.empty() ? result_ : std::nullopt;
  }

 private:
  struct QueuedReply {
    Reply message;
    size_t size;
  };

  void Run() {
    const auto stub = wire::Control::NewStub(channel_);
    context_.set_wait_for_ready(false);  // a refused connection means that the AM is gone
    const auto stream = method_.call(*stub, &context_);
    bool ended = false;
    if (stream->Write(request_)) {
      Reply reply;
      while (stream->Read(&reply)) {
        ended = method_.is_last(reply);
        if (!Enqueue(std::move(reply))) break;
        reply.Clear();
      }
    }
    const grpc::Status status = stream->Finish();
    std::lock_guard lock(mutex_);
    result_ = ended ? Status() : Status(Why(status));
    Signal();
  }

  // Appends the reply to the read-ahead queue, after waiting for space. Returns false if this object is being
  // destroyed.
  bool Enqueue(Reply reply) {
    const size_t size = reply.ByteSizeLong();
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return leaving_ || bytes_ < kReadAhead; });
    if (leaving_) return false;
    bytes_ += size;
    replies_.push_back({std::move(reply), size});
    Signal();
    return true;
  }

  void Signal() const {
    const uint64_t one = 1;
    static_cast<void>(!write(more_, &one, sizeof one));
  }

  Error Why(const grpc::Status& status) const {
    switch (status.error_code()) {
      case grpc::StatusCode::OK:
        return {ErrorCode::kUnavailable, doing_ + ": it ended the connection"};
      case grpc::StatusCode::UNAVAILABLE:
      case grpc::StatusCode::CANCELLED:
      case grpc::StatusCode::INTERNAL:  // the connection broke within a message
        return {ErrorCode::kUnavailable, doing_ + ": " + Explain(status)};
      case grpc::StatusCode::UNIMPLEMENTED:
        return Failed(doing_ + ": the job was started by an older version of Howdah, which cannot do that");
      default:
        return Failed(doing_ + ": " + Explain(status));
    }
  }

  const Method method_;
  const std::string doing_;
  const Request request_;
  const int more_;  // an eventfd
  std::shared_ptr<grpc::Channel> channel_;
  grpc::ClientContext context_;
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable room_;
  // Guarded by mutex_.
  std::deque<QueuedReply> replies_;
  size_t bytes_ = 0;
  bool leaving_ = false;
  std::optional<Status> result_;
};

}  // namespace howdah::rpc
