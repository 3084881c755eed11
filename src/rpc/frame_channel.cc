#include <optional>
#include <unordered_map>
#include <utility>

#include "frame_call.h"
#include "grpc_setup.h"

namespace howdah::rpc {
namespace {

// The HTTP/2 flow-control window of a stream: the maximum number of bytes in flight to a remote reader.
constexpr int kSendWindow = 512 << 10;

class Stream final : public FrameStream {
 public:
  explicit Stream(std::shared_ptr<FrameCall> call) : call_(std::move(call)) {}
  ~Stream() override { call_->Cancel(); }
  void Send(const wire::Frame& frame) override { call_->Send(frame); }
  void Finish() override { call_->Finish(); }

 private:
  std::shared_ptr<FrameCall> call_;
};

class Channel final : public FrameChannel {
 public:
  Channel(std::shared_ptr<grpc::Channel> channel, std::string address, Post post)
      : channel_(std::move(channel)), address_(std::move(address)) {
    completions_.emplace(std::make_unique<grpc::CompletionQueue>(), std::move(post));
  }
  ~Channel() override {
    for (const auto& [key, call] : *calls_) call->Cancel();
    completions_.reset();
  }

  std::unique_ptr<FrameStream> Open(Method method, FrameStream::Handlers handlers) override {
    auto call =
        std::make_shared<FrameCall>(channel_, method == Method::kTunnel ? kTunnelMethod : kAcceptTunnelMethod, address_,
                                    std::move(handlers), [calls = std::weak_ptr(calls_)](FrameCall* over) {
                                      if (const auto present = calls.lock()) present->erase(over);
                                    });
    calls_->emplace(call.get(), call);
    call->Start(*completions_);
    return std::make_unique<Stream>(std::move(call));
  }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::string address_;
  // Shared, because a call may end after its handler has destroyed the channel.
  using Calls = std::unordered_map<FrameCall*, std::shared_ptr<FrameCall>>;
  std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  std::optional<Completions> completions_;
};

}  // namespace

Result<std::unique_ptr<FrameChannel>> FrameChannel::Make(const std::string& address, const Identity& identity,
                                                         Post post, Duration connect_limit) {
  const int millis = static_cast<int>(std::max<int64_t>(connect_limit.count() / 1000, 1));
  grpc::ChannelArguments arguments;
  // gRPC has no connect limit, so the minimum time between two attempts serves as the limit.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, millis);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kSendWindow);
  // A broken network sends no FIN: send a ping after 10 s of silence, and expect an answer within 20 s.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  auto channel = MakeChannel(address, identity, std::move(arguments));
  if (!channel) return channel.error();
  return std::unique_ptr<FrameChannel>(std::make_unique<Channel>(std::move(*channel), address, std::move(post)));
}

}  // namespace howdah::rpc
