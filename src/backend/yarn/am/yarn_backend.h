// The AM's backend on YARN: containers of the ResourceManager, executors on NodeManagers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "container_table.h"
#include "howdah/backend/backend.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/yarn/scheduler.h"
#include "howdah/jobspec/job_spec.h"
#include "pending_monitor.h"
#include "preemption.h"
#include "resource_manager_checkpoint.h"

namespace howdah::backend::yarn::am {

// One thread: the AM's loop.
class YarnBackend final : public backend::Backend, private hadoop::yarn::SchedulerSink {
 public:
  struct Options {
    const AmStart& start;
    const jobspec::JobSpec& spec;
    const hadoop::conf::Configuration& configuration;
    const hadoop::rpc::Credentials& credentials;                      // of the AM's container
    std::string am_address;                                           // where executors and clients reach the AM
    std::string tracking_url;                                         // of the AM's own page; empty: none
    hadoop::rpc::Token am_rm_token;                                   // the newest
    std::function<Status(const std::string& journal)> write_history;  // as Backend::WriteHistory
    // Blocking: records the end of the job and reports it to the ResourceManager.
    std::function<void(const core::JobChanged& final, const std::string& journal,
                       const hadoop::rpc::Token& am_rm_token)>
        on_finish;
  };
  // restored: the state of this attempt if an earlier process of it has registered.
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
  void Kill(const ContainerId& container) override;
  Status WriteHistory(const std::string& journal) override;
  void Finish(const core::JobChanged& final, const std::string& journal) override;

 private:
  void OnRegistered(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response) override;
  void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) override;
  void OnGranted(const hadoop::yarn::Allocation::Granted& granted) override;
  void OnCompleted(const hadoop::yarn::Allocation::Completed& completed) override;
  void OnRejected(const Error& error) override;
  void OnUnreachable(const std::string& why) override;
  void OnLost(const Error& error) override;

  // Adopts, reports or releases the containers of an earlier AM; leaves the missing ones to the caller.
  void Apply(const Takeover& takeover);
  // Orders that need the ResourceManager or a node wait until this attempt is registered. True: deferred.
  bool Defer(std::function<void()> order);
  void UpdateNodes(const ::hadoop::yarn::AllocateResponseProto& response);
  // These two report the preempting queue, and so possibly a moment later.
  void WarnPreempted(const ::hadoop::yarn::PreemptionContainerProto& container);
  void ReportExit(const ContainerId& id, const ::hadoop::yarn::ContainerStatusProto& status, const std::string& label,
                  const std::string& preemptor);
  void OnStartFailed(const ContainerId& id, const Error& error);
  // Drops the container and reports its end to the AM.
  void Remove(const ContainerId& id, const std::string& how, bool infrastructure);
  // Updates the reported reason of pending requests and the heartbeat's pace.
  void UpdateExpectations();

  backend::Sink& sink_;
  Options options_;
  hadoop::rpc::Token token_;  // the newest token for the ResourceManager
  hadoop::yarn::Scheduler scheduler_;
  ContainerTable containers_;
  PendingMonitor pending_monitor_;
  PreemptorLookup preemptors_;
  ResourceManagerCheckpoint checkpoint_;
  std::optional<ResourceManagerCheckpoint::State> restored_;  // until its containers are taken over
  bool registered_ = false;                                   // by this process or an earlier one of the attempt
  std::vector<backend::Inherited> inherited_;                 // until registered
  std::vector<backend::Inherited> missing_;                   // from then until the first answer
  std::vector<std::function<void()>> deferred_;               // until registered
};

}  // namespace howdah::backend::yarn::am
