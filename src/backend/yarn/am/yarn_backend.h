// The AM's backend on YARN. The ResourceManager grants containers, and NodeManagers start executors in them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "am_container.h"
#include "container_table.h"
#include "departure.h"
#include "gated_requests.h"
#include "howdah/backend/backend.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/credential_store.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/yarn/scheduler.h"
#include "howdah/jobspec/job_spec.h"
#include "node_table.h"
#include "preemption.h"
#include "resource_manager_checkpoint.h"

namespace howdah::backend::yarn::am {

// Used on the AM's loop thread only.
class YarnBackend final : public backend::Backend, private hadoop::yarn::SchedulerSink {
 public:
  struct Options {
    const AmStart& start;
    const jobspec::JobSpec& spec;
    const hadoop::conf::Configuration& configuration;
    std::shared_ptr<CredentialStore> credentials;  // the credentials of the AM's container
    hadoop::yarn::ContainerId own_container;       // the container in which the AM runs
    std::string own_host;                          // its node
    const os::process::Clock& clock;
    std::string am_address;          // the address at which executors and clients reach the AM
    std::string tracking_url;        // URL of the AM's own page; empty if none
    hadoop::rpc::Token am_rm_token;  // the newest token for the ResourceManager
    // Records the end of the job and reports it to the ResourceManager. Blocks.
    std::function<void(const core::JobChanged& final, const std::string& journal,
                       const hadoop::rpc::Token& am_rm_token)>
        on_finish;
    std::function<Status()> store_state;  // as Departure::Own::store
  };
  // restored: the state of this attempt if an earlier AM process of the attempt has registered.
  YarnBackend(boost::asio::io_context& loop, backend::Sink& sink, Options options,
              std::unique_ptr<hadoop::yarn::SchedulerCalls> calls, ResourceManagerCheckpoint checkpoint,
              std::optional<ResourceManagerCheckpoint::State> restored);

  void Inherit(const std::vector<backend::Inherited>& containers, int am_attempt) override;
  void Request(const core::RequestContainers& request) override;
  void CancelRequests() override;
  void Launch(const ContainerId& container, const TaskId& task) override;
  void Avoid(const std::string& node, Duration limit) override;
  void Connected(const ContainerId& container) override;
  void Release(const ContainerId& container) override;
  void Left(const ContainerId& container) override { containers_.Left(container); }
  void Kill(const ContainerId& container) override;
  Result<ReplacedTokens> ReplaceTokens(const std::string& tokens) override;
  void Finish(const core::JobChanged& final, const std::string& journal) override;

 private:
  void OnRegistered(const std::optional<::hadoop::yarn::RegisterApplicationMasterResponseProto>& answer) override;
  void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) override;
  void OnGranted(const hadoop::yarn::Allocation::Granted& granted) override;
  void OnCompleted(const hadoop::yarn::Allocation::Completed& completed) override;
  void OnRejected(const Error& error, const std::map<int, int>& containers) override;
  void OnUnreachable(const std::string& why) override;
  void OnLost(const Error& error) override;

  // Takes over the running containers of an earlier AM, reports the ended ones and releases the surplus. The caller
  // must handle takeover.missing.
  void Apply(const Takeover& takeover);
  // For orders that need the ResourceManager or a node: if this attempt is not registered yet, defers the order until
  // the registration. Returns whether the order was deferred.
  bool Defer(std::function<void()> order);
  // WarnPreempted and ReportExit look up the preempting queue first, so they may report only after they have returned.
  void WarnPreempted(const ::hadoop::yarn::PreemptionContainerProto& container);
  void ReportExit(const ContainerId& id, const ::hadoop::yarn::ContainerStatusProto& status, const std::string& label,
                  const std::string& preemptor);
  void OnStartFailed(const ContainerId& id, const Error& error);
  // Removes the container from the table, and reports its end to the AM unless this was done when its executor left.
  void Remove(const ContainerId& id, const std::string& how, bool infrastructure);
  // Makes heartbeats frequent while the end of a container is expected.
  void UpdateExpectations();

  backend::Sink& sink_;
  Options options_;
  std::string executor_credentials_;  // encoded
  hadoop::rpc::Token token_;          // the newest token for the ResourceManager
  hadoop::yarn::Scheduler scheduler_;
  ContainerTable containers_;
  Departure departure_;
  GatedRequests requests_;
  PreemptorLookup preemptors_;
  AmContainerLookup am_container_;
  NodeTable nodes_;
  ResourceManagerCheckpoint checkpoint_;
  // The containers of an earlier AM, until this one has taken them over.
  struct Earlier {
    std::optional<ResourceManagerCheckpoint::State> restored;  // by an earlier process of this attempt
    std::vector<backend::Inherited> inherited;                 // empty once registered
    std::vector<backend::Inherited> missing;  // not reported at the registration; cleared at the first answer
  };
  Earlier earlier_;
  bool registered_ = false;                      // this process or an earlier one of the attempt has registered
  std::vector<std::function<void()>> deferred_;  // orders deferred until registered
};

}  // namespace howdah::backend::yarn::am
