// The AM's half of the YARN place: containers of the ResourceManager, executors on NodeManagers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "howdah/backend/backend.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/yarn/node_managers.h"
#include "howdah/hadoop/yarn/scheduler.h"
#include "howdah/jobspec/job_spec.h"
#include "pending_monitor.h"
#include "preemptor_lookup.h"
#include "resource_manager_checkpoint.h"

namespace howdah::backend::yarn::am {

// One thread: the AM's loop.
class YarnBackend final : public backend::Backend, private hadoop::yarn::SchedulerSink {
 public:
  struct Options {
    const YarnAmStart& start;
    const jobspec::JobSpec& spec;
    const hadoop::conf::Configuration& configuration;
    const hadoop::rpc::Credentials& credentials;                      // of the AM's container
    std::string am_address;                                           // where executors and clients reach the AM
    std::string tracking_url;                                         // of the AM's own page; empty: none
    hadoop::rpc::Token am_rm_token;                                   // the newest
    std::function<Status(const std::string& journal)> write_history;  // as Backend::WriteHistory
    // Blocking: records the job's end where the AM's clients look for it, and tells the ResourceManager.
    std::function<void(const core::JobChanged& final, const std::string& journal,
                       const hadoop::rpc::Token& am_rm_token)>
        on_finish;
  };
  // past: of this attempt, if an AM's process before this one has registered it.
  YarnBackend(boost::asio::io_context& loop, backend::Sink& sink, Options options,
              std::unique_ptr<hadoop::yarn::Calls> calls, ResourceManagerCheckpoint kept,
              std::optional<ResourceManagerCheckpoint::Past> past);
  ~YarnBackend() override;

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
  struct Held {
    explicit Held(boost::asio::io_context& loop) : patience(loop), look(loop) {}
    ::hadoop::yarn::ContainerProto proto;
    std::string node;       // as the scheduler names it
    std::string label;      // of the partition that it was asked for
    std::string preemptor;  // for whom it is preempted, once that is known
    bool launched = false;
    bool started = false;  // its NodeManager has said so
    bool stopped = false;  // its NodeManager is to stop it
    bool leaving = false;  // it is to end: however it does, that is no failure
    boost::asio::steady_timer patience;
    bool connected = false;
    Duration looked_after{0};
    boost::asio::steady_timer look;  // how far it has come, until something has connected
  };

  void OnRegistered(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response) override;
  void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) override;
  void OnGranted(const hadoop::yarn::Allocation::Granted& granted) override;
  void OnCompleted(const hadoop::yarn::Allocation::Completed& completed) override;
  void OnRejected(const Error& error) override;
  void OnUnreachable(const std::string& why) override;
  void OnLost(const Error& error) override;

  std::string RoleLabel(int role) const;
  hadoop::yarn::Shape RoleShape(int role) const;
  // The container, which YARN says is there, is held for the AM before this one.
  void Adopt(const backend::Inherited& inherited, const ::hadoop::yarn::ContainerProto& proto);
  // Takes over from an AM's process of this attempt; from an attempt before this one, once this one is registered.
  void InheritKept(const std::vector<backend::Inherited>& containers);
  void InheritOthers(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response);
  // Of those that were not there any more when this attempt was registered: how they ended comes with the first answer.
  void TellMissing(const ::hadoop::yarn::AllocateResponseProto& response);
  // What ResourceManager or node must be asked about can be ordered once it is known what there is.
  bool Defer(std::function<void()> order);
  void Keep(const Status& kept);
  // Both say for whom it is, and so perhaps a moment later.
  void WarnPreempted(const ::hadoop::yarn::PreemptionContainerProto& container);
  void TellEnded(const ContainerId& id, const ::hadoop::yarn::ContainerStatusProto& status, const std::string& label,
                 const std::string& preemptor);
  void WarnNode(const std::string& node);
  void UpdateNodes(const ::hadoop::yarn::AllocateResponseProto& response);
  void OnStarted(const ContainerId& id, const Status& started);
  // Asks how far the start has come, again and again, until something has connected.
  void LookHowFar(const ContainerId& id);
  void OnHowFar(const ContainerId& id, const Result<::hadoop::yarn::ContainerStatusProto>& status);
  void Stop(const ContainerId& id);
  // Stops what runs in it after a while, and gives it up if nothing is heard of its end.
  void EndAfter(const ContainerId& id, std::chrono::milliseconds wait);
  void GiveUpAfter(const ContainerId& id, std::chrono::milliseconds wait);
  void Forget(const ContainerId& id);
  // It is held no more; the owner is told how it ended.
  void Gone(const ContainerId& id, const std::string& how, bool excused);
  void Expect();

  boost::asio::io_context& loop_;
  backend::Sink& sink_;
  Options options_;
  hadoop::rpc::Token token_;  // the newest of those with which the AM speaks to the ResourceManager
  hadoop::yarn::Scheduler scheduler_;
  hadoop::yarn::NodeManagers node_managers_;
  PendingMonitor pending_monitor_;
  PreemptorLookup preemptors_;
  ResourceManagerCheckpoint checkpoint_;
  std::optional<ResourceManagerCheckpoint::Past> past_;  // until what it holds is inherited
  bool registered_ = false;                              // or another process has done it
  std::vector<backend::Inherited> awaited_;              // until it is registered
  std::vector<backend::Inherited> missing_;              // from then until the first answer
  std::vector<std::function<void()>> deferred_;          // until it is registered
  std::unordered_map<ContainerId, Held> containers_;
  int leaving_ = 0;  // of them: it is asked at every grant and end, and there may be thousands
};

}  // namespace howdah::backend::yarn::am
