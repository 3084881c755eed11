// One job under simulation: its AM, its containers, and the requests of its users.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "checker.h"
#include "container.h"
#include "digest.h"
#include "howdah/testing/sim/channel.h"
#include "rendezvous.h"
#include "sim_am.h"
#include "truth.h"
#include "world.h"

namespace howdah::testing::sim {

class SimJob : public ContainerOwner, public BackendClient, public SimAm::Owner {
 public:
  SimJob(World& world, SimBackend& backend, Workload workload, std::string name);

  void Begin();

  bool ended() const { return disk_.finished || am_dead_; }
  const std::string& name() const { return name_; }
  uint64_t digest() const { return digest_.value(); }
  int steps() const { return steps_; }
  bool anything_started() const { return checker_->facts().anything_started(); }
  // Describes the state of the job and its tasks. Used in the report about a job that does not end.
  std::string Describe() const;

  // ContainerOwner
  void Deliver(const core::Event& event) override;
  void OnGone(SimContainer& container, const Loss& loss) override;
  void OnDied(TaskId task, int generation) override;
  void OnReady(TaskId task, int attempt) override { rendezvous_.OnReady(task, attempt); }
  void OnBroken(TaskId task, int attempt) override { rendezvous_.Break(task, attempt); }
  int generation() const override { return checker_->fold().generation(); }
  const Workload& workload() const override { return workload_; }
  Truth& truth() override { return truth_; }

  // BackendClient
  void OnGranted(int role, int node) override;
  void OnWaiting(const std::string& reason) override;
  void OnRefused(const std::string& reason) override;
  void OnNodeLost(int node) override;

 private:
  void PlanUserRequests();
  void PlanClock();
  void Send(const core::Event& event, Channel& channel);

  // SimAm::Owner
  Instant AmNow() const override { return world_.schedule.now() + skew_; }
  void OnOrdered(const core::Action& action) override;
  void OnPerform(const core::Action& action) override;
  void OnDeadline(std::optional<Instant> deadline) override;

  std::unique_ptr<SimAm> NewAm();
  void OnAlarm(int alarm);
  void AmDies();
  void AmIsGone();
  void ReplaceAm();
  void PlanLossOfTail();
  void ReplaceAmWithLostTail();
  void Reconcile(const std::vector<SimDisk::Logged>& lost);

  void Do(const core::RequestContainers& a) { backend_.Request(this, a); }
  void Do(const core::CancelRequests&) { backend_.Cancel(this); }
  void Do(const core::LaunchExecutor& a);
  void Do(const core::ReleaseContainer& a);
  void Do(const core::KillContainer& a);
  void Do(const core::StartTask& a);
  void Do(const core::StopTask& a);
  void Do(const core::RequestRendezvous& a) { rendezvous_.Ask(a); }
  void Do(const core::Rejoin& a) { rendezvous_.Rejoin(a, RankedTasks()); }
  int RankedTasks() const;
  void Do(const core::AvoidNode&) {}  // the simulated backend may still grant containers on that node
  void Do(const core::Record&) {}
  void Do(const core::PrepareFinish&) { Deliver(core::FinishPrepared{}); }
  void Do(const core::FinishJob&);
  SimContainer* Find(const ContainerId& container);

  World& world_;
  SimBackend& backend_;
  Workload workload_;
  std::string name_;
  Truth truth_;
  std::optional<Checker> checker_;  // always set; replaced by an older copy after a loss of the event log's tail
  SimRendezvous rendezvous_;
  const Instant submitted_;
  const uint64_t seed_;
  SimDisk disk_;
  std::unique_ptr<SimAm> am_;
  bool delivering_ = false;
  // The state from which the next AM resumes if the tail of the event log is lost.
  struct Copied {
    Checker checker;
    HardwareCheck hardware;
    size_t logged = 0, recorded = 0;
    std::vector<bool> received;
  };
  std::optional<Copied> copied_;
  int am_attempt_ = 0;
  // Includes ended containers, because scheduled actions refer to them.
  std::vector<std::unique_ptr<SimContainer>> containers_;
  Channel from_backend_, from_users_;
  Duration skew_{};  // offset of the AM's clock
  std::optional<Instant> alarm_at_;
  int alarm_ = 0;
  int idle_alarms_ = 0;
  bool am_dead_ = false;
  int steps_ = 0;
  Digest digest_;
};

}  // namespace howdah::testing::sim
