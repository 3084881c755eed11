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
    world_.Violate("Nothing starts before what sets up has succeeded", Name(start.task) + " before " + Name(other));
  });
  for (const jobspec::After& after : Role(start.task.role).after) {
    const auto& roles = workload_.spec.roles;
    const auto first =
        std::find_if(roles.begin(), roles.end(), [&](const auto& role) { return role.name == after.role; });
    const int role = static_cast<int>(first - roles.begin());
    world_.Reach(after.finished ? Situation::kAfterFinished : Situation::kAfterStarted);
    ForEachTaskOf(role, [&](TaskId awaited, const FoldedTask&) {
      const TaskFacts* task = facts_.Find(awaited);
      const bool ready = task && (after.finished ? task->over && (task->succeeded || task->failed)
                                                 : task->ever_started || task->ever_over);
      if (ready) return;
      world_.Violate("A task never starts before the roles that it comes after",
                     Name(start.task) + " before " + Name(awaited));
    });
  }
}

// The roles that must have ended before anything of this role can run.
std::set<int> Checker::EndsAwaited(int role) const {
  std::set<int> ends;
  const auto add = [&](int other, bool finished) {
    if (finished) ends.insert(other);
    ends.merge(EndsAwaited(other));
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
    if (HaveEnded(EndsAwaited(ask.role))) continue;
    world_.Violate("No container is asked for in which nothing can run yet", Role(ask.role).name);
  }
}

// No task of a gang starts before all roles that wait for the same roles to finish can start. Later, the ranked tasks
// start when all unfinished ones can.
void Checker::CheckGang(const core::StartTask& start) {
  const bool ranked = Ranked(start.task.role);
  const std::set<int> ends = EndsAwaited(start.task.role);
  const bool first = workload_.spec.start == jobspec::StartMode::kGang && begun_gangs_.insert(ends).second;
  if (first && !ends.empty()) world_.Reach(Situation::kLaterGang);
  if (!first && !(ranked && workload_.rules.needs_whole_cluster)) return;
  for (int role = 0; role < static_cast<int>(workload_.spec.roles.size()); ++role) {
    if (!first && !Ranked(role)) continue;
    const std::set<int> of_role = EndsAwaited(role);
    if (first ? of_role != ends : !HaveEnded(of_role)) continue;
    const int least = Role(role).instances.min;
    if (CountRunnable(role) >= least) continue;
    world_.Violate("Nothing of a gang starts before everything can",
                   Name(start.task) + " before " + std::to_string(least) + " of " + Role(role).name + " can");
  }
}

bool Checker::Directs(int role) const {
  const auto& directs = workload_.rules.coordinators;
  return static_cast<size_t>(role) < directs.size() && directs[static_cast<size_t>(role)];
}

// All tasks of roles that are not elastic, and the minimum of the elastic ones, have ended or can run.
bool Checker::AllThere() const {
  for (int role = 0; role < static_cast<int>(workload_.spec.roles.size()); ++role) {
    if (Role(role).kind != RoleKind::kSidecar && CountRunnable(role) < Role(role).instances.min) return false;
  }
  return true;
}

// A coordinator starts only when every other task can run, because it receives the addresses of all of them.
void Checker::CheckDirects(const core::StartTask& start) {
  if (!Directs(start.task.role) || AllThere()) return;
  world_.Violate("Who directs the others starts when all are there", Name(start.task));
}

// A coordinator does not run on for long after another task was added or moved and all tasks can run.
void Checker::CheckMoves() {
  if (!AllThere() || !world_.clocks_agree()) return;
  for (const auto& [id, held] : facts_.held()) {
    if (!held.task || !held.registered || held.released) continue;
    ForEachTask([&](TaskId leader, const FoldedTask&) {
      const TaskFacts* facts = facts_.Find(leader);
      const bool runs = facts && facts->started && !facts->over && facts->ranks_exited.empty() && !facts->failed;
      if (!Directs(leader.role) || !runs || facts->container == id || held.registered_at <= facts->started_at) return;
      world_.Reach(Situation::kMoved);
      const Instant due = held.registered_at + workload_.spec.timeouts.settle + seconds(1);
      if (facts->stopped() || world_.schedule.now() < due) return;
      world_.Violate("Who directs the others starts again when one has come or moved",
                     Name(leader) + " runs on, without " + Name(*held.task));
    });
  }
}

}  // namespace howdah::testing::sim
