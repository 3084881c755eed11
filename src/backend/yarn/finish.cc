#include "finish.h"

#include <poll.h>

#include <chrono>

#include "howdah/hadoop/yarn_service.pb.h"
#include "howdah/hadoopconf/services.h"
#include "howdah/hadooprpc/blocking_client.h"

namespace howdah::yarnplace {
namespace {

constexpr char kProtocol[] = "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB";
constexpr char kTokenKind[] = "YARN_AM_RM_TOKEN";
constexpr int kPauseMillis = 20;  // Hadoop's own library asks every 100 ms

hadoop::yarn::FinalApplicationStatusProto StatusOf(core::JobState state) {
  if (state == core::JobState::kSucceeded) return hadoop::yarn::APP_SUCCEEDED;
  return state == core::JobState::kKilled ? hadoop::yarn::APP_KILLED : hadoop::yarn::APP_FAILED;
}

}  // namespace

Status FinishApplication(const hadoopconf::Configuration& configuration, const hadooprpc::Credentials& credentials,
                         const core::JobChanged& end, Duration limit) {
  const auto servers = hadoopconf::ResourceManagers(configuration, hadoopconf::RmService::kScheduler);
  if (!servers.ok()) return servers.error();
  hadooprpc::ClientOptions options{.protocol = kProtocol};
  options.service_name = "the ResourceManager";
  options.limits.give_up = limit;
  for (const hadoopconf::Server& server : *servers) {
    options.servers.push_back({server.host, server.port});
    options.configured_by += (options.configured_by.empty() ? "" : ", ") + server.configured_by;
  }
  const hadooprpc::Token* token = credentials.Find(kTokenKind);
  if (token == nullptr) return Failed("the container's credentials have no token for the ResourceManager");
  options.login.token = *token;
  hadooprpc::BlockingClient client(std::move(options));

  hadoop::yarn::FinishApplicationMasterRequestProto request;
  request.set_final_application_status(StatusOf(end.state.value_or(core::JobState::kFailed)));
  request.set_diagnostics(end.reason.value_or(""));
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto response =
        client.Call<hadoop::yarn::FinishApplicationMasterResponseProto>("finishApplicationMaster", request);
    if (!response.ok()) return response.error().While("telling the ResourceManager the job's end");
    if (response->isunregistered()) return {};
    if (std::chrono::steady_clock::now() > until) {
      return Error{ErrorCode::kTimeout, "the ResourceManager has not recorded the job's end within the limit"};
    }
    poll(nullptr, 0, kPauseMillis);
  }
}

}  // namespace howdah::yarnplace
