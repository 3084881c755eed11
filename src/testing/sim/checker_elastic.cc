// The rules about elastic roles.
#include <algorithm>

#include "checker.h"
#include "text.h"

namespace howdah::testing::sim {

using core::TaskState;
using std::chrono::minutes;
using std::chrono::seconds;

// Counts the role's tasks that have ended or could run immediately.
int Checker::CountRunnable(int role) const {
  int count = 0;
  ForEachTaskOf(role,
                [&](TaskId task, const FoldedTask& folded) { count += core::IsFinal(folded.state) || CanRun(task); });
  return count;
}

// Each slot of a generation belongs to one task. If all tasks start together, no slot is empty.
void Checker::CheckSlots(const core::Job& job) {
  if (starts_.empty() && rejoins_.empty()) return;
  const core::PeerGroup& cluster = job.peers();
  std::map<int, int> started;
  for (const core::StartTask& start : std::exchange(starts_, {})) {
    const auto size = static_cast<int>(cluster[static_cast<size_t>(start.task.role)].size());
    TakeSlot(start.generation, start.task, start.slot, size);
    if (size > fold_.Size(Role(start.task.role).name)) {
      world_.Violate("Every rank belongs to a task", std::to_string(size) + " ranks of " + Role(start.task.role).name);
    }
    if (start.slot != start.task.index) world_.Reach(Situation::kSlotsReassigned);
    ++started[start.task.role];
  }
  CheckRejoins(cluster);
  if (!workload_.rules.needs_whole_cluster) return;
  for (const auto& [role, count] : started) {
    const auto size = static_cast<int>(cluster[static_cast<size_t>(role)].size());
    if (count + Waiting(role) != size || size < Role(role).instances.min) {
      world_.Violate("A generation starts without a gap, and with the minimum number of tasks",
                     std::to_string(count) + " of " + Role(role).name + " in a cluster of " + std::to_string(size));
    }
  }
}

// Whether the container could run a ranked task, but runs no attempt.
bool Checker::IsIdleRanked(const ContainerId& id, const ContainerFacts& held) const {
  if (!Ranked(held.role) || held.released) return false;
  const TaskFacts* task = held.task ? facts_.Find(*held.task) : nullptr;
  return task == nullptr || task->container != id || task->over;
}

void Checker::NoticeJoinable() {
  const auto waits = [this](const auto& held) {
    return held.second.registered && IsIdleRanked(held.first, held.second);
  };
  const bool any = std::any_of(facts_.held().begin(), facts_.held().end(), waits);
  if (!any || fold_.job_state() != core::JobState::kRunning) return joinable_since_.reset();
  if (!joinable_since_) joinable_since_ = world_.schedule.now();
}

// Running tasks may be stopped so that joinable tasks can join, but only if at least one joinable task is ready and no
// further joinable task is expected.
void Checker::CheckGrowth(const core::JobChanged& change) {
  if (!change.cause || change.cause->kind != core::Cause::Kind::kGrown) return;
  bool stopped = false, others = false, rejoining = false;  // whether ranked tasks have such open attempts
  ForEachTask([&](TaskId id, const FoldedTask&) {
    const TaskFacts* task = Ranked(id.role) ? facts_.Find(id) : nullptr;
    if (task == nullptr || task->over) return;
    (task->stopped() ? stopped : others) = true;
    rejoining |= task->waits;
  });
  if (rejoining) world_.Reach(Situation::kGrewByRejoin);
  if (!stopped || others) return;
  world_.Reach(Situation::kGrew);
  if (!world_.clocks_agree()) return;
  bool ready = false, more = false;
  for (const auto& [id, held] : facts_.held()) {
    if (!IsIdleRanked(id, held)) continue;
    (held.registered ? ready : more) = true;
  }
  for (int role = 0; role < static_cast<int>(wanted_.size()); ++role) more |= Ranked(role) && facts_.asked(role) > 0;
  if (!ready)
    return world_.Violate("Ranked tasks are stopped for joinable tasks only when these are ready", *change.reason);
  const Instant since = joinable_since_.value_or(world_.schedule.now());
  if (more && world_.schedule.now() - since < workload_.spec.timeouts.settle) {
    world_.Violate("Ranked tasks are stopped only when no further joinable task is expected", *change.reason);
  }
}

// A lost task of an elastic role may delay the other tasks only within the limits.
void Checker::CheckReplacementDelay() {
  const jobspec::Timeouts& limits = workload_.spec.timeouts;
  bool elastic = false, could = fold_.job_state() == core::JobState::kRecovering && world_.clocks_agree();
  for (int role = 0; could && role < static_cast<int>(wanted_.size()); ++role) {
    if (!Ranked(role)) {  // missing tasks of other roles may delay the ranked tasks
      could = CountRunnable(role) >= fold_.Size(Role(role).name);
      continue;
    }
    elastic |= Role(role).instances.elastic();
    int ready = 0;
    ForEachTaskOf(role, [&](TaskId task, const FoldedTask& folded) {
      ready += folded.state == TaskState::kReady && CanRun(task);
    });
    could = ready >= Role(role).instances.min;
  }
  if (!elastic || !could) return held_up_since_.reset();
  if (!held_up_since_) held_up_since_ = world_.schedule.now();
  const Duration longest = limits.replacement + limits.settle + minutes(1) + seconds(10);
  if (world_.schedule.now() - *held_up_since_ > longest) {
    world_.Violate("An elastic role that has lost a task continues with the others in time", fold_.reason());
    held_up_since_.reset();
  }
}

}  // namespace howdah::testing::sim
