#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/asio_client.h"
#include "howdah/hadoop/rpc/blocking_client.h"
#include "howdah/hadoop/yarn/scheduler.h"
#include "scheduler_answers.h"

namespace howdah::hadoop::yarn {
namespace {

using namespace std::chrono_literals;
using namespace ::hadoop::yarn;

constexpr auto kAgain = 100ms;

Result<hadoop::rpc::ClientOptions> OptionsFor(const hadoop::conf::Configuration& configuration,
                                              hadoop::rpc::Token am_rm_token) {
  HOWDAH_TRY(const auto servers, hadoop::conf::ResourceManagers(configuration, hadoop::conf::RmService::kScheduler));
  hadoop::rpc::ClientOptions options{
      .protocol = "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB",
      .login = {.token = std::move(am_rm_token)},
      .limits = {.connect = 5s, .call = 20s, .give_up = 5s, .backoff_most = 1s},
  };
  options.service_name = "the ResourceManager's scheduler";
  for (const hadoop::conf::Server& server : servers) {
    options.servers.push_back(server.address);
    options.configured_by += (options.configured_by.empty() ? "" : ", ") + server.configured_by;
  }
  return options;
}

class RealCalls final : public SchedulerCalls {
 public:
  RealCalls(boost::asio::io_context& loop, hadoop::rpc::ClientOptions options) : client_(loop, std::move(options)) {}
  void Call(std::string_view method, std::string request, Done done) override {
    client_.CallBytes(method, std::move(request), hadoop::rpc::Repeat::kSafe, std::move(done));
  }
  // Reconnects with the new token. The ResourceManager sends a new token until the AM uses it, and rejects the old one
  // after some time.
  void SetToken(hadoop::rpc::Token token) override { client_.SetToken(std::move(token), true); }

 private:
  hadoop::rpc::AsioClient client_;
};

}  // namespace

Result<std::unique_ptr<SchedulerCalls>> AsioCalls(boost::asio::io_context& loop,
                                                  const hadoop::conf::Configuration& configuration,
                                                  hadoop::rpc::Token am_rm_token) {
  HOWDAH_TRY(auto options, OptionsFor(configuration, std::move(am_rm_token)));
  return std::unique_ptr<SchedulerCalls>(std::make_unique<RealCalls>(loop, std::move(options)));
}

Result<BlockingCall> BlockingSchedulerCall(const hadoop::conf::Configuration& configuration,
                                           hadoop::rpc::Token am_rm_token) {
  HOWDAH_TRY(auto options, OptionsFor(configuration, std::move(am_rm_token)));
  auto client = std::make_shared<hadoop::rpc::BlockingClient>(std::move(options));
  return BlockingCall([client](std::string_view method, const std::string& request) {
    return client->CallBytes(method, request, hadoop::rpc::Repeat::kSafe);
  });
}

Status Unregister(const BlockingCall& call, const FinishApplicationMasterRequestProto& finish,
                  const RegisterApplicationMasterRequestProto& again, Duration limit) {
  const std::string doing = "unregistering from the ResourceManager";
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto answer = Read<FinishApplicationMasterResponseProto>(
        "finishApplicationMaster", call("finishApplicationMaster", finish.SerializeAsString()));
    if (answer && answer->isunregistered()) return {};
    if (!answer && IsAttemptRejected(answer.error())) return answer.error().While(doing);
    if (std::chrono::steady_clock::now() + kAgain > until) {
      const std::string why = answer ? "not accepted" : answer.error().message;
      return Error{ErrorCode::kTimeout, doing + ": " + why + " (tried for " + FormatDuration(limit) + ")"};
    }
    if (!answer && Is(answer.error(), "ApplicationMasterNotRegisteredException")) {
      // Ignore the result: the next round shows whether the registration was successful.
      (void)call("registerApplicationMaster", again.SerializeAsString()).ok();
      continue;
    }
    std::this_thread::sleep_for(kAgain);
  }
}

}  // namespace howdah::hadoop::yarn
