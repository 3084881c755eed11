// The rules about the order of starts and container requests.
#include <algorithm>

#include "checker.h"
#include "text.h"

namespace howdah::testing::sim {

using core::TaskState;
using jobspec::RoleKind;
using std::chrono::seconds;

void Checker::CheckAfter(const core::StartTask& start) {
  ForEachTask([&](TaskId other, const FoldedTask&) {
    if (Role(other.role).kind != RoleKind::kSetup || Role(start.task.role).kind == RoleKind::kSetup) return;
    world_.Reach(Situation::kSetUp);
    const TaskFacts* facts = facts_.Find(other);
    if (facts && facts->over && facts->succeeded) return;
    world_.Violate("No task starts before all setup roles have succeeded", Name(start.task) + " before " + Name(other));
  });
  for (const jobspec::After& after : Role(start.task.role).after) {
    const auto& roles = workload_.spec.roles;
    const auto first =
        std::find_if(roles.begin(), roles.end(), [&](const auto& role) { return role.name == after.role; });
    const int role = static_cast<int>(first - roles.begin());
    world_.Reach(after.finished ? Situation::kAfterFinished
                 : after.ready  ? Situation::kAfterReady
                                : Situation::kAfterStarted);
    ForEachTaskOf(role, [&](TaskId awaited, const FoldedTask&) {
      const TaskFacts* task = facts_.Find(awaited);
      const bool ended = task && task->over && (task->succeeded || task->failed);
      const bool holds = after.finished ? ended
                         : after.ready  ? ended || (task && task->serves)
                                        : task && (task->ever_started || task->ever_over);
      if (holds) return;
      world_.Violate("A task never starts before its dependencies are satisfied",
                     Name(start.task) + " before " + Name(awaited));
    });
  }
}

// Returns the roles that must have ended before any task of this role can run.
std::set<int> Checker::FinishDependencies(int role) const {
  std::set<int> ends;
  const auto add = [&](int other, bool finished) {
    if (finished) ends.insert(other);
    ends.merge(FinishDependencies(other));
  };
  for (int other = 0; other < static_cast<int>(workload_.spec.roles.size()); ++other) {
    if (Role(other).kind == RoleKind::kSetup && Role(role).kind != RoleKind::kSetup) add(other, true);
    for (const jobspec::After& after : Role(role).after) {
      if (after.role == Role(other).name) add(other, after.finished);
    }
  }
  return ends;
}

bool Checker::HaveEnded(const std::set<int>& roles) const {
  bool ended = true;
  for (const int role : roles) {
    ForEachTaskOf(role, [&](TaskId, const FoldedTask& task) { ended = ended && core::IsFinal(task.state); });
  }
  return ended;
}

void Checker::Check(const core::RequestContainers& request) {
  for (const auto& ask : request.asks) {
    if (HaveEnded(FinishDependencies(ask.role))) continue;
    world_.Violate("No container is requested for a role that cannot run yet", Role(ask.role).name);
  }
}

// No task of a gang starts before all roles of the gang can start. Roles that wait for the same roles to finish form a
// gang. A role of the gang that waits for another one to start must be complete again when it starts. After the gang's
// first start, ranked tasks start when all unfinished ranked tasks can start.
void Checker::CheckGang(const core::StartTask& start) {
  const bool gang = workload_.spec.start == jobspec::StartMode::kGang;
  const std::set<int> ends = FinishDependencies(start.task.role);
  const bool first = gang && std::none_of(begun_roles_.begin(), begun_roles_.end(),
                                          [&](int role) { return FinishDependencies(role) == ends; });
  const bool first_of_role = gang && begun_roles_.insert(start.task.role).second;
  const bool whole = Ranked(start.task.role) && workload_.rules.needs_whole_cluster;
  if (first && !ends.empty()) world_.Reach(Situation::kLaterGang);
  for (int role = 0; role < static_cast<int>(workload_.spec.roles.size()); ++role) {
    const std::set<int> of_role = FinishDependencies(role);
    const bool together = first ? of_role == ends : whole && Ranked(role) && HaveEnded(of_role);
    const int least = Role(role).instances.min;
    if (!together && !(first_of_role && role == start.task.role)) continue;
    if (CountRunnable(role) >= least) continue;
    world_.Violate("No task of a gang starts before all of them can",
                   Name(start.task) + " before " + std::to_string(least) + " of " + Role(role).name + " can");
  }
}

bool Checker::IsCoordinator(int role) const {
  const auto& coordinators = workload_.rules.coordinators;
  return static_cast<size_t>(role) < coordinators.size() && coordinators[static_cast<size_t>(role)];
}

// Whether all tasks of roles that are not elastic, and the minimum of each elastic role, have ended or can run.
bool Checker::AllPresent() const {
  for (int role = 0; role < static_cast<int>(workload_.spec.roles.size()); ++role) {
    if (Role(role).kind != RoleKind::kSidecar && CountRunnable(role) < Role(role).instances.min) return false;
  }
  return true;
}

// A coordinator starts only when every other task can run, because it receives the addresses of all of them.
void Checker::CheckCoordinatorStart(const core::StartTask& start) {
  if (!IsCoordinator(start.task.role) || AllPresent()) return;
  world_.Violate("A coordinator starts when all tasks are present", Name(start.task));
}

// After a task was added or moved, and once all tasks can run, a running coordinator must restart soon.
void Checker::CheckCoordinatorRestart() {
  if (!AllPresent() || !world_.clocks_agree()) return;
  for (const auto& [id, held] : facts_.held()) {
    if (!held.task || !held.registered || held.released) continue;
    ForEachTask([&](TaskId leader, const FoldedTask&) {
      const TaskFacts* facts = facts_.Find(leader);
      const bool runs = facts && facts->started && !facts->over && facts->ranks_exited.empty() && !facts->failed;
      if (!IsCoordinator(leader.role) || !runs || facts->container == id || held.registered_at <= facts->started_at)
        return;
      world_.Reach(Situation::kMembershipChanged);
      const Instant due = held.registered_at + workload_.spec.timeouts.settle + seconds(1);
      if (facts->stopped() || world_.schedule.now() < due) return;
      world_.Violate("A coordinator restarts when a task has joined or moved",
                     Name(leader) + " still runs without " + Name(*held.task));
    });
  }
}

}  // namespace howdah::testing::sim
