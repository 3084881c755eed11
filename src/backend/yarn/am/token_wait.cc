#include "token_wait.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "am_attempts.h"
#include "container_environment.h"
#include "howdah/backend/yarn/token_lifetime.h"
#include "howdah/hadoop/rpc/token_identifier.h"
#include "howdah/hadoop/yarn/scheduler.h"
#include "howdah/rpc/am_server.h"
#include "keytab_renewer.h"
#include "resource_manager_checkpoint.h"
#include "scheduler_options.h"

namespace howdah::backend::yarn::am {
namespace {

// Saves all answers of the ResourceManager, so that the AM goes on like a process that replaces a dead one of the same
// attempt.
class TokenWait final : public hadoop::yarn::SchedulerSink {
 public:
  TokenWait(const TokenWaitOptions& options, const os::process::Clock& clock, ResourceManagerCheckpoint checkpoint)
      : options_(options), clock_(clock), checkpoint_(std::move(checkpoint)), limit_(loop_) {}

  Result<uint16_t> Run() {
    HOWDAH_TRY(server_, StartServer());
    HOWDAH_TRY_STATUS(Register());
    const auto lifetime = LifetimeOf(options_.present);
    const auto issued = OldestIssue(options_.present);
    if (HasKeytab() && lifetime && issued) {
      keytab_renewer_.emplace(loop_, clock_, options_.configuration, options_.spec, options_.start.user, *issued,
                              lifetime->until, [this](const std::string& tokens) { return Replace(tokens); });
    }
    limit_.expires_after(options_.spec.timeouts.am);
    limit_.async_wait([this](const boost::system::error_code& error) {
      if (!error) End(TimeoutError());
    });
    std::cerr << Waiting() << "\n";
    loop_.run();
    if (error_) return *error_;
    return server_->port();
  }

 private:
  std::string Remedy() const { return "`howdah renew " + options_.start.job.text + "` supplies them"; }
  std::string Waiting() const {
    return "the application master waits for new tokens, because those of the job have expired; " + Remedy();
  }
  Error TimeoutError() const {
    return {ErrorCode::kTimeout, "no new tokens came within " + FormatDuration(options_.spec.timeouts.am) +
                                     " (timeouts.am), and those of the job had expired; " + Remedy()};
  }

  Result<std::unique_ptr<rpc::AmServer>> StartServer() {
    return rpc::AmServer::Start(
        options_.listen_host, options_.identity,
        [this](std::function<void()> f) { boost::asio::post(loop_, std::move(f)); },
        {.on_message = [](rpc::ConnectionId, const wire::FromExecutor&) {},
         .on_closed = [](rpc::ConnectionId) {},
         .on_control = [this](const wire::ControlRequest& request, const auto& reply) { reply(Answer(request)); },
         .on_follow = [this](rpc::ConnectionId follower, const wire::FollowRequest&) { server_->Close(follower); },
         .on_metrics = [this](rpc::ConnectionId watcher, const wire::MetricsRequest&) { server_->Close(watcher); },
         .on_follow_written = [](rpc::ConnectionId) {},
         .on_follower_gone = [](rpc::ConnectionId) {},
         .on_tunnel = [this](rpc::ConnectionId tunnel, const wire::Open&) { server_->Refuse(tunnel, Waiting()); },
         .on_accept_tunnel = [this](rpc::ConnectionId accepted, uint64_t) { server_->Close(accepted); }});
  }

  Status Register() {
    const hadoop::rpc::Token* token = options_.present.Find(hadoop::rpc::kAmToken);
    if (token == nullptr) return Failed("the container's credentials lack a token for the ResourceManager");
    HOWDAH_TRY(auto calls, hadoop::yarn::AsioCalls(loop_, options_.configuration, *token));
    scheduler_.emplace(loop_, std::move(calls), *this,
                       SchedulerOptionsOf(options_.configuration, {options_.listen_host, server_->port()}));
    scheduler_->Register();
    return {};
  }

  wire::ControlReply Answer(const wire::ControlRequest& request) {
    wire::ControlReply reply;
    if (request.kind_case() != wire::ControlRequest::kRenewTokens) {
      reply.set_error(Waiting());
      return reply;
    }
    const auto outcome = Replace(request.renew_tokens().tokens());
    if (!outcome.ok()) {
      reply.set_error(outcome.error().message);
      return reply;
    }
    reply.set_tokens_until_micros(outcome->until.time_since_epoch().count());
    reply.set_tokens_replaced(true);
    return reply;
  }

  Result<backend::Backend::ReplacedTokens> Replace(const std::string& tokens) {
    HOWDAH_TRY(const auto newer, hadoop::rpc::ParseCredentials(tokens));
    const auto issued = LifetimeOf(newer);
    if (!issued || issued->until <= clock_.Now()) return Failed("the new tokens have expired, too");
    HOWDAH_TRY_STATUS(WriteNewerTokens(newer));
    replaced_ = true;
    // Let the server send the reply first.
    boost::asio::post(loop_, [this] { EndIfReady(); });
    return backend::Backend::ReplacedTokens{issued->until, true};
  }

  void EndIfReady() {
    if (registered_ && replaced_ && !error_) End(std::nullopt);
  }

  void End(std::optional<Error> error) {
    error_ = std::move(error);
    scheduler_->Stop();
    loop_.stop();
  }

  void Save(const Status& saved) {
    if (!saved.ok()) End(saved.error());
  }

  void OnRegistered(const std::optional<::hadoop::yarn::RegisterApplicationMasterResponseProto>& answer) override {
    // As in YarnBackend::OnRegistered. This AM has written nothing that the next one needs.
    const bool may_leave = MayBeRestarted(options_.spec, options_.configuration);
    if (!answer && may_leave && options_.own_container.attempt.attempt > 1) {
      std::cerr << "the application master gives its container back: the ResourceManager's answer to its registration "
                   "was lost\n";
      return scheduler_->AdoptSurplus(options_.own_container, options_.own_host);  // releases the container
    }
    Save(checkpoint_.Save(answer.value_or(::hadoop::yarn::RegisterApplicationMasterResponseProto())));
    registered_ = true;
    EndIfReady();
  }
  void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) override {
    if (registered_) Save(checkpoint_.Save(response));
  }
  // The checkpoint has the containers of each answer.
  void OnGranted(const hadoop::yarn::Allocation::Granted&) override {}
  void OnCompleted(const hadoop::yarn::Allocation::Completed&) override {}
  void OnRejected(const Error&, const std::map<int, int>&) override {}
  void OnUnreachable(const std::string& why) override {
    if (!why.empty()) std::cerr << why << "\n";
  }
  void OnLost(const Error& error) override { End(error); }

  const TokenWaitOptions& options_;
  const os::process::Clock& clock_;
  ResourceManagerCheckpoint checkpoint_;
  boost::asio::io_context loop_;
  boost::asio::steady_timer limit_;
  std::unique_ptr<rpc::AmServer> server_;
  std::optional<hadoop::yarn::Scheduler> scheduler_;
  std::optional<KeytabRenewer> keytab_renewer_;
  bool registered_ = false, replaced_ = false;
  std::optional<Error> error_;
};

}  // namespace

Result<uint16_t> AwaitNewerTokens(const TokenWaitOptions& options, const os::process::Clock& clock) {
  std::optional<ResourceManagerCheckpoint::State> restored;
  HOWDAH_TRY(auto checkpoint, ResourceManagerCheckpoint::Open(options.checkpoint, restored));
  return TokenWait(options, clock, std::move(checkpoint)).Run();
}

}  // namespace howdah::backend::yarn::am
