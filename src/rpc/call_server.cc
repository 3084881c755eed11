#include "call_server.h"

#include <utility>

#include "grpc_setup.h"

namespace howdah::rpc {

std::unique_ptr<CallServer> CallServer::Start(const Post& post,
                                              const std::function<void(grpc::ServerBuilder&)>& configure) {
  PrepareGrpc();
  std::unique_ptr<CallServer> started(new CallServer);
  grpc::ServerBuilder builder;
  configure(builder);
  builder.RegisterAsyncGenericService(&started->service_);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  // Ping silent peers, so that the connection to a vanished node is closed. Executors ping more often (every 10 s).
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  auto queue = builder.AddCompletionQueue();
  started->server_ = builder.BuildAndStart();
  if (!started->server_) {
    queue->Shutdown();
    void* tag = nullptr;
    for (bool ok = false; queue->Next(&tag, &ok);) {
    }
    return nullptr;
  }
  started->completions_.emplace(std::move(queue), post);
  return started;
}

void CallServer::Shutdown(std::chrono::milliseconds limit, const std::function<bool()>& done) {
  completions_->Drain(limit, done);
  server_->Shutdown(std::chrono::system_clock::now());
  completions_.reset();
}

}  // namespace howdah::rpc
