// A gRPC server of calls of any method, with its completion queue.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <functional>
#include <memory>
#include <optional>

#include "howdah/rpc/completions.h"
#include "howdah/rpc/post.h"

namespace howdah::rpc {

class CallServer {
 public:
  // configure: adds connections to the builder. Returns null if gRPC creates no server.
  static std::unique_ptr<CallServer> Start(const Post& post,
                                           const std::function<void(grpc::ServerBuilder&)>& configure);
  // Shutdown must have been called, and all calls must have been destroyed.
  ~CallServer() = default;

  grpc::Server& server() { return *server_; }
  grpc::AsyncGenericService& service() { return service_; }
  grpc::ServerCompletionQueue* queue() { return static_cast<grpc::ServerCompletionQueue*>(completions_->queue()); }
  // Ends all calls and joins the thread. First lets the calls proceed until done() is true, for at most `limit`.
  void Shutdown(std::chrono::milliseconds limit, const std::function<bool()>& done);

 private:
  CallServer() = default;

  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::Server> server_;
  std::optional<Completions> completions_;
};

}  // namespace howdah::rpc
