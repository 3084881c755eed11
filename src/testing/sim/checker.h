// The rules that the core must keep, each a sentence, checked against the simulator's own facts.
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

  // In this order: an event is delivered, its actions are ordered one by one, the step is over.
  void Told(const core::Event& event);
  void Ordered(const core::Action& action);
  void Stepped(const core::Job& job);

  const JournalFold& fold() const { return fold_; }
  const Facts& facts() const { return facts_; }
  bool finished() const { return finished_; }

 private:
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
  void CheckDirects(const core::StartTask& start);
  void CheckMoves();
  bool Directs(int role) const;
  bool AllThere() const;
  void CheckRules(const core::StartTask& start);
  std::set<int> EndsAwaited(int role) const;
  bool HaveEnded(const std::set<int>& roles) const;
  // --- checker_elastic.cc
  void CheckPlaces(const core::Job& job);
  void CheckGrowth(const std::string& reason);
  void CheckHeldUp();
  void NoticeNewcomers();
  bool IsIdleRanked(const ContainerId& id, const ContainerFacts& held) const;
  bool Ranked(int role) const { return workload_.rules.restarts_together[static_cast<size_t>(role)]; }
  int CountRunnable(int role) const;
  // --- checker_meeting.cc
  void TakePlace(int generation, TaskId task, int place, int size);
  void CheckRejoins(const core::PeerGroup& cluster);
  void CheckSizes(const core::PeerGroup& cluster);
  int Waiting(int role) const;
  void NoticeGeneration(const core::JobChanged& change);
  // ---
  void CheckBudget();
  void Charge(const core::StartTask& start);
  void ChargeRanked(int generation);
  // The first failure of ranked tasks in the generation among those delivered to the core; nullptr: none.
  const OwnFailure* FirstOfRanked(int generation) const;
  bool IsRegistered(TaskId task) const;
  bool CanRun(TaskId task) const;
  void CheckOutcome(const core::FinishJob& finish);
  void CheckSuccess();
  void CheckSuccess(const core::TaskChanged& change);
  void CheckFailure(const core::FinishJob& finish);
  bool FailsTheJob(TaskId task) const;
  bool MayBeIgnored(const jobspec::RoleSpec& role) const;
  bool RanTooLong();
  bool FailedForGood() const;
  void CheckReason();
  bool IsForGood(const OwnFailure& failure) const;
  void CheckStates();
  void CheckAsks();
  void CheckStopping();
  void CheckStalled();
  void CheckBackoff(const core::StartTask& start);
  void Notice(const core::StartTask& start);
  void Notice(const core::Event& event);
  void NoticeStall(const core::TaskHung& stall);
  void NoticeFailure(const ContainerId& container, int attempt, Instant at, bool stalled = false);
  template <typename Visit>
  void ForEachTaskOf(int role, Visit visit) const {
    const std::string& name = Role(role).name;
    const auto& tasks = fold_.tasks();
    for (auto at = tasks.lower_bound({name, 0}); at != tasks.end() && at->first.first == name; ++at) {
      visit(TaskId{role, at->first.second}, at->second);
    }
  }
  // Every task in the journal, with its folded state.
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
  std::set<std::set<int>> begun_gangs_;  // gangs with a task that was ordered to start, by the roles they waited for
  bool lost_a_container_ = false;        // that the core had not released
  std::set<ContainerId> given_up_;       // killed by the core
  int charged_generation_ = 0;
  std::vector<int> wanted_;                       // tasks, by role
  std::vector<core::StartTask> starts_;           // of ranked tasks, in this step
  std::map<std::pair<int, int>, TaskId> places_;  // by role and place, in the newest generation
  std::map<TaskId, int> sizes_;                   // of its role, as each ranked task was told last
  int places_generation_ = -1;
  std::optional<Instant> newcomers_since_;  // of ranked roles, without a break
  std::optional<Instant> held_up_since_;    // ranked tasks could go on without those that are missing
  std::vector<core::Rejoin> rejoins_;       // in this step
  bool finished_ = false;
  std::set<std::string> nodes_;  // on which containers were granted
  std::map<std::string, Instant> avoided_until_;
};

}  // namespace howdah::testing::sim
