// The rules that the core must keep. Each rule is a sentence. The checker tests it against facts that the simulator
// collects independently of the core.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "facts.h"
#include "howdah/core/action.h"
#include "howdah/core/event.h"
#include "howdah/core/job.h"
#include "journal_fold.h"
#include "truth.h"
#include "world.h"

namespace howdah::testing::sim {

class Checker {
 public:
  Checker(World& world, const Workload& workload, Truth& truth);

  // Call order in each step: Received before the core receives the event, Ordered for each action, Stepped at the end.
  void Received(const core::Event& event);
  void Ordered(const core::Action& action);
  void Stepped(const core::Job& job);

  const JournalFold& fold() const { return fold_; }
  const Facts& facts() const { return facts_; }

 private:
  bool finished() const { return finish_ != Finish::kNotOrdered; }

  // Whether the core has ordered FinishJob. kRepeatable: the core has ordered it, and may repeat the order, because the
  // current event is AmResumed.
  enum class Finish { kNotOrdered, kOrdered, kRepeatable };

  void Check(const core::StartTask& start);
  void Check(const core::StopTask& stop);
  void Check(const core::RequestRendezvous&) {}
  void Check(const core::Rejoin& rejoin);
  void Check(const core::AvoidNode& avoid);
  void Check(const core::LaunchExecutor& launch);
  void Check(const core::ReleaseContainer& release);
  void Check(const core::KillContainer& kill);
  void Check(const core::RequestContainers& request);
  void Check(const core::CancelRequests&) {}
  void Check(const core::Record& record);
  void Check(const core::PrepareFinish&) {}
  void Check(const core::FinishJob& finish);

  const ContainerFacts* CheckHeld(const ContainerId& container, const char* action);
  void CheckAfter(const core::StartTask& start);
  void CheckGang(const core::StartTask& start);
  void CheckCoordinatorStart(const core::StartTask& start);
  void CheckCoordinatorRestart();
  bool IsCoordinator(int role) const;
  bool AllPresent() const;
  void CheckRules(const core::StartTask& start);
  std::set<int> FinishDependencies(int role) const;
  bool HaveEnded(const std::set<int>& roles) const;
  // --- checker_elastic.cc
  void CheckSlots(const core::Job& job);
  void CheckGrowth(const core::JobChanged& change);
  void CheckReplacementDelay();
  void NoticeJoinable();
  bool IsIdleRanked(const ContainerId& id, const ContainerFacts& held) const;
  bool Ranked(int role) const { return workload_.rules.restarts_together[static_cast<size_t>(role)]; }
  int CountRunnable(int role) const;
  // --- checker_rendezvous.cc
  void TakeSlot(int generation, TaskId task, int slot, int size);
  void CheckRejoins(const core::PeerGroup& cluster);
  void CheckSizes(const core::PeerGroup& cluster);
  int Waiting(int role) const;
  void NoticeGeneration(const core::JobChanged& change);
  // ---
  void CheckBudget();
  void Charge(const core::StartTask& start);
  void ChargeRanked(int generation);
  // Returns the earliest failure of a ranked task in the generation, among the failures that the core has received.
  // Returns nullptr if there is none.
  const OwnFailure* FirstOfRanked(int generation) const;
  bool IsRegistered(TaskId task) const;
  bool CanRun(TaskId task) const;
  void CheckOutcome(const core::FinishJob& finish);
  void CheckSuccess();
  void CheckSuccess(const core::TaskChanged& change);
  void CheckFailure(const core::FinishJob& finish);
  bool FailsTheJob(TaskId task) const;
  bool MayOutlive(const jobspec::RoleSpec& role) const;
  bool RanTooLong();
  bool FailedPermanently() const;
  void CheckReason();
  bool IsPermanent(const OwnFailure& failure) const;
  void CheckStates();
  void CheckRequests();
  void CheckStopping();
  void CheckFailed();
  void CheckBackoff(const core::StartTask& start);
  void Notice(const core::StartTask& start);
  void Notice(const core::Event& event);
  void NoticeHang(const core::TaskHung& hang);
  void NoticeFailure(const ContainerId& container, int attempt, Instant at, bool hung = false);
  template <typename Visit>
  void ForEachTaskOf(int role, Visit visit) const {
    const std::string& name = Role(role).name;
    const auto& tasks = fold_.tasks();
    for (auto at = tasks.lower_bound({name, 0}); at != tasks.end() && at->first.first == name; ++at) {
      visit(TaskId{role, at->first.second}, at->second);
    }
  }
  // Visits every task of the journal with its folded state.
  template <typename Visit>
  void ForEachTask(Visit visit) const {
    for (int role = 0; role < static_cast<int>(workload_.spec.roles.size()); ++role) ForEachTaskOf(role, visit);
  }
  const jobspec::RoleSpec& Role(int role) const { return workload_.spec.roles[static_cast<size_t>(role)]; }
  std::string Name(TaskId task) const;

  World& world_;
  const Workload& workload_;
  Truth& truth_;
  Facts facts_;
  JournalFold fold_;
  bool ordered_a_start_ = false;
  std::set<int> begun_roles_;  // with a task that was ordered to start
  // Whether a container that the core had not released was lost.
  bool lost_a_container_ = false;
  std::set<ContainerId> given_up_;  // containers that the core has killed
  int charged_generation_ = 0;
  std::vector<int> wanted_;  // the requested number of tasks, by role
  // Starts of ranked tasks that were ordered in this step.
  std::vector<core::StartTask> starts_;
  // The newest generation's task for each role and slot.
  std::map<std::pair<int, int>, TaskId> slots_;
  // For each ranked task, the size of its role that was sent to the task last.
  std::map<TaskId, int> sizes_;
  int slots_generation_ = -1;
  // The time since which some executor for a ranked role has been registered and idle without interruption.
  std::optional<Instant> joinable_since_;
  // The time since which the ranked tasks could have continued without the missing ones.
  std::optional<Instant> held_up_since_;
  std::vector<core::Rejoin> rejoins_;  // the slots that were assigned in this step
  Finish finish_ = Finish::kNotOrdered;
  std::set<std::string> nodes_;  // nodes on which containers were granted
  std::map<std::string, Instant> avoided_until_;
};

}  // namespace howdah::testing::sim
