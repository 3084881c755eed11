#include "howdah/rpc/executor_link.h"

#include <optional>
#include <utility>

#include "attach_stream.h"
#include "grpc_setup.h"

namespace howdah::rpc {
namespace {

class Link final : public ExecutorLink {
 public:
  Link(Result<std::shared_ptr<grpc::Channel>> channel, const std::string& address, const Post& post, Handlers handlers,
       Duration limit) {
    if (!channel) {
      post([alive = std::weak_ptr(alive_), why = channel.error().message, handlers = std::move(handlers)] {
        if (!alive.expired()) handlers.on_closed(why);
      });
      return;
    }
    completions_.emplace(std::make_unique<grpc::CompletionQueue>(), post);
    stream_.emplace(*completions_, std::move(*channel), address, std::move(handlers), limit);
  }

  ~Link() override {
    if (stream_) stream_->Cancel();
    completions_.reset();
  }

  void Send(const wire::FromExecutor& message) override {
    if (stream_) stream_->Send(message);
  }
  void Finish() override {
    if (stream_) stream_->Finish();
  }

 private:
  std::shared_ptr<char> alive_ = std::make_shared<char>();
  std::optional<AttachStream> stream_;
  std::optional<Completions> completions_;
};

}  // namespace

std::unique_ptr<ExecutorLink> ExecutorLink::Connect(const std::string& address, const Identity& identity, Post post,
                                                    Handlers handlers, Duration limit) {
  return std::make_unique<Link>(MakeExecutorChannel(address, identity), address, post, std::move(handlers), limit);
}

std::unique_ptr<ExecutorLink> ExecutorLink::Over(os::files::Fd socket, const std::string& address, Post post,
                                                 Handlers handlers, Duration limit) {
  return std::make_unique<Link>(MakeExecutorChannel(std::move(socket)), address, post, std::move(handlers), limit);
}

}  // namespace howdah::rpc
