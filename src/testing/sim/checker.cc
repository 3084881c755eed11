#include "checker.h"

#include <algorithm>
#include <utility>

#include "howdah/core/progress.h"
#include "text.h"

namespace howdah::testing::sim {

using core::TaskState;
using jobspec::RoleKind;

namespace {

constexpr Duration kStoreLimit = std::chrono::minutes(10);

// Whether the change removes a task without a container from the job, although no user has scaled the role down.
bool GivesUpMember(const core::Change& change, const JournalFold& fold, const Workload& workload,
                   const std::vector<int>& wanted) {
  const auto* task = std::get_if<core::TaskChanged>(&change);
  if (task == nullptr || task->type != core::TaskChanged::Type::kStopped || fold.stopping()) return false;
  const FoldedTask* before = fold.Find(task->role, task->index);
  if (before == nullptr || before->state != TaskState::kPending) return false;
  for (size_t r = 0; r < wanted.size(); ++r) {
    if (workload.spec.roles[r].name == task->role) return task->index < wanted[r];
  }
  return false;
}

}  // namespace

Checker::Checker(World& world, const Workload& workload, Truth& truth)
    : world_(world), workload_(workload), truth_(truth), facts_(workload) {
  core::JobSubmitted submitted;
  for (const jobspec::RoleSpec& role : workload.spec.roles) {
    submitted.roles.push_back({role.name, role.instances.min});
    wanted_.push_back(role.instances.max);
  }
  fold_.Take(submitted);
}

void Checker::Received(const core::Event& event) {
  if (finished()) finish_ = std::holds_alternative<core::AmResumed>(event) ? Finish::kRepeatable : Finish::kOrdered;
  Notice(event);
  if (const auto* granted = std::get_if<core::ContainerGranted>(&event)) nodes_.insert(granted->node);
  facts_.Received(event, world_.schedule.now());
}

void Checker::Ordered(const core::Action& action) {
  if (finished()) {
    const bool repeatable = std::exchange(finish_, Finish::kOrdered) == Finish::kRepeatable;
    if (repeatable && std::holds_alternative<core::FinishJob>(action)) return;
    return world_.Violate("After FinishJob only a resumed AM orders FinishJob again, and nothing else is ordered",
                          ToText(workload_.spec, action));
  }
  std::visit([this](const auto& a) { Check(a); }, action);
  facts_.Ordered(action);
}

void Checker::Stepped(const core::Job& job) {
  CheckSlots(job);
  if (finished()) return;
  CheckSizes(job.peers());
  CheckReplacementDelay();
  CheckCoordinatorRestart();
  NoticeJoinable();
  CheckStates();
  CheckRequests();
  CheckStopping();
  CheckFailed();
}

std::string Checker::Name(TaskId task) const { return TaskName(workload_.spec, task); }

// --- single orders ---

const ContainerFacts* Checker::CheckHeld(const ContainerId& container, const char* action) {
  const ContainerFacts* held = facts_.Held(container);
  if (!held)
    world_.Violate("No action refers to a container that is not held", std::string(action) + " " + container.text);
  return held;
}

void Checker::Check(const core::LaunchExecutor& launch) {
  const ContainerFacts* held = CheckHeld(launch.container, "LaunchExecutor");
  if (!held) return;
  const bool again = held->task == launch.task && !held->registered;
  if ((held->task && !again) || held->released) {
    world_.Violate("An executor is launched once, in a container that is kept", launch.container.text);
  }
  if (held->role != launch.task.role) {
    world_.Violate("A container serves the role that it was granted for", launch.container.text);
  }
}

void Checker::Check(const core::StartTask& start) {
  const std::string name = Name(start.task) + " attempt " + std::to_string(start.attempt);
  const ContainerFacts* held = CheckHeld(start.container, "StartTask");
  if (!held) return;
  if (held->task != start.task || !held->registered || held->released) {
    world_.Violate("A task starts in a container in which its executor has registered",
                   name + " in " + start.container.text);
  }
  if (facts_.IsRepeated(start)) return;
  const TaskFacts* before = facts_.Find(start.task);
  if (start.attempt != (before ? before->attempt + 1 : 0)) {
    world_.Violate("Attempt numbers increase by one",
                   name + " follows " + std::to_string(before ? before->attempt : -1));
  }
  if (before && !before->over && world_.clocks_agree()) {
    world_.Violate("A task restarts only after the reported end of its last attempt", name);
  }
  if (start.generation != fold_.generation()) {
    world_.Violate("A task starts in the current generation of the job",
                   name + ": " + std::to_string(start.generation) + " of " + std::to_string(fold_.generation()));
  }
  if (fold_.stopping()) world_.Violate("No task starts in a job that is stopping", name);
  CheckRules(start);
  CheckAfter(start);
  CheckGang(start);
  CheckCoordinatorStart(start);
  Charge(start);
  CheckBudget();
  CheckBackoff(start);
  Notice(start);
  if (Ranked(start.task.role)) starts_.push_back(start);
  ordered_a_start_ = true;
}

// A failure that a restart rule declares final must not be followed by a restart.
void Checker::CheckRules(const core::StartTask& start) {
  const TaskFacts* before = facts_.Find(start.task);
  if (!before || !before->final || Role(start.task.role).outlive || !world_.clocks_agree()) return;
  if (start.generation == before->generation || FailsTheJob(start.task)) {
    world_.Violate("A failure that a rule declares final is not followed by a restart", Name(start.task));
  }
}

void Checker::Check(const core::AvoidNode& avoid) {
  world_.Reach(Situation::kNodeAvoided);
  const Instant now = world_.schedule.now();
  avoided_until_[avoid.node] = now + avoid.limit;
  const auto avoided =
      std::count_if(avoided_until_.begin(), avoided_until_.end(), [&](const auto& node) { return now < node.second; });
  // If all containers of the job so far were on one node, the core may avoid it, because the cluster may have other
  // nodes.
  if (2 * static_cast<size_t>(avoided) <= std::max<size_t>(nodes_.size(), 2) || !world_.clocks_agree()) return;
  world_.Violate("At least half of the nodes are not avoided", avoid.node);
}

void Checker::Check(const core::StopTask& stop) {
  const ContainerFacts* held = CheckHeld(stop.container, "StopTask");
  if (!held) return;
  const TaskFacts* task = held->task ? facts_.Find(*held->task) : nullptr;
  if (!task || task->container != stop.container || task->attempt != stop.attempt || task->over) {
    world_.Violate("Only an attempt that may still run is stopped",
                   stop.container.text + " attempt " + std::to_string(stop.attempt));
  }
  const Instant now = world_.schedule.now();
  const bool no_later = task && task->stopped() && now + stop.grace <= std::max(now, *task->killed_at);
  const bool again = task && task->stopped();  // a clock jump changes the remaining grace of a second stop
  if (no_later || (again && !world_.clocks_agree())) return;
  const Duration usual = workload_.spec.checkpoint.grace;
  if (stop.grace != usual && stop.grace != facts_.grace_requested()) {
    world_.Violate("A stop has the grace of the job or the requested grace", FormatDuration(stop.grace));
  }
  const bool extended = stop.limit != stop.grace;
  if (extended && (stop.grace != usual || stop.limit != core::LongestGrace(workload_.spec.checkpoint))) {
    world_.Violate("Only the grace of the job is extended, and only within its limit", FormatDuration(stop.limit));
  }
}

void Checker::Check(const core::ReleaseContainer& release) {
  const ContainerFacts* held = CheckHeld(release.container, "ReleaseContainer");
  if (!held || held->task || held->role < 0 || fold_.stopping()) return;
  ForEachTaskOf(held->role, [&](TaskId, const FoldedTask& folded) {
    const bool had_it = folded.state == TaskState::kAllocated && folded.container == release.container.text;
    if (had_it) world_.Reach(Situation::kPartialAllocationReleased);
  });
}

void Checker::Check(const core::KillContainer& kill) {
  const ContainerFacts* held = CheckHeld(kill.container, "KillContainer");
  if (!held) return;
  if (held->registered || !held->released) given_up_.insert(kill.container);
  if (held->orphaned) return;  // the simulator has no facts about an orphaned attempt
  const TaskFacts* task = held->task ? facts_.Find(*held->task) : nullptr;
  const bool runs = task && task->container == kill.container && task->started && !task->over && !task->stopped() &&
                    !facts_.AllExited(*held->task);
  const Instant now = world_.schedule.now();
  const Duration silence = now - held->last_message;
  if (!held->killed && held->storing_since && now < *held->storing_since + kStoreLimit && world_.clocks_agree()) {
    world_.Violate("A container whose executor stores files is not killed for ten minutes",
                   kill.container.text + " after " + FormatDuration(now - *held->storing_since));
  }
  const bool stops = task && task->container == kill.container && !task->over && task->killed_at && !held->released;
  if (stops && now < *task->killed_at && silence < workload_.spec.timeouts.heartbeat && world_.clocks_agree()) {
    world_.Violate("A container is not killed before the grace of its task is over",
                   kill.container.text + " is killed " + FormatDuration(*task->killed_at - now) + " before its end");
  }
  if (runs && silence < workload_.spec.timeouts.heartbeat && world_.clocks_agree()) {
    world_.Violate("An executor that sent a message within the heartbeat limit is not killed",
                   kill.container.text + " after " + FormatDuration(silence));
  }
}

void Checker::Check(const core::Record& record) {
  const bool fewer = GivesUpMember(record.change, fold_, workload_, wanted_);
  const std::string wrong = fold_.Take(record.change);
  if (!wrong.empty()) world_.Violate("The journal contains only permitted transitions", wrong);
  if (const auto* job = std::get_if<core::JobChanged>(&record.change); job != nullptr && job->reason) {
    CheckGrowth(*job);
    NoticeGeneration(*job);
  }
  if (const auto* task = std::get_if<core::TaskChanged>(&record.change)) {
    CheckSuccess(*task);
    if (fewer) world_.Reach(Situation::kShrank);
    if (task->type == core::TaskChanged::Type::kProgressed) world_.Reach(Situation::kProgressRecorded);
    if (task->type == core::TaskChanged::Type::kStackSampled) world_.Reach(Situation::kStackSampled);
  }
  if (const auto* scaled = std::get_if<core::RoleScaled>(&record.change)) {
    world_.Reach(scaled->to > scaled->from ? Situation::kScaledUp : Situation::kScaledDown);
    for (size_t r = 0; r < wanted_.size(); ++r) {
      const jobspec::RoleSpec& role = workload_.spec.roles[r];
      if (role.name == scaled->role) wanted_[r] = scaled->to;
      if (role.name == scaled->role && (scaled->to < role.instances.min || scaled->to > role.instances.max)) {
        world_.Violate("A role is scaled only within its limits",
                       role.name + " scaled to " + std::to_string(scaled->to));
      }
    }
  }
}

void Checker::CheckSuccess(const core::TaskChanged& change) {
  if (change.type != core::TaskChanged::Type::kExited || change.state != TaskState::kSucceeded) return;
  const auto& roles = workload_.spec.roles;
  const auto role = std::find_if(roles.begin(), roles.end(), [&](const auto& r) { return r.name == change.role; });
  const TaskFacts* task = facts_.Find({static_cast<int>(role - roles.begin()), change.index});
  if (task && task->ranks_succeeded.size() == static_cast<size_t>(role->processes)) return;
  world_.Violate("A task succeeds only if each of its processes has succeeded", TaskText(change.role, change.index));
}

bool Checker::IsRegistered(TaskId task) const {
  return std::any_of(facts_.held().begin(), facts_.held().end(),
                     [task](const auto& held) { return held.second.task == task && held.second.registered; });
}

bool Checker::CanRun(TaskId task) const {
  return std::any_of(facts_.held().begin(), facts_.held().end(), [task](const auto& held) {
    return held.second.task == task && held.second.registered && !held.second.released;
  });
}

// Charges the task whose failure caused the restart. Among ranked tasks, the task that failed first is charged.
void Checker::Charge(const core::StartTask& start) {
  const TaskFacts* before = facts_.Find(start.task);
  if (!before) return;
  if (!Ranked(start.task.role)) {
    if (before->failed && !before->free) facts_.Charge(start.task);
    return;
  }
  ChargeRanked(start.generation);
}

// Charges at most one ranked task per generation, when the generation begins.
void Checker::ChargeRanked(int generation) {
  if (generation <= charged_generation_) return;
  charged_generation_ = generation;
  const OwnFailure* first = FirstOfRanked(generation - 1);
  if (first && !facts_.Find(first->task)->free) facts_.Charge(first->task);
}

const OwnFailure* Checker::FirstOfRanked(int generation) const {
  const OwnFailure* first = nullptr;
  for (const OwnFailure& failure : truth_.failures()) {
    if (!Ranked(failure.task.role) || !failure.received || failure.generation != generation) continue;
    if (!first || CameFirst(failure, *first)) first = &failure;
  }
  return first;
}

// Counts restarts over the whole job. A whole-job restart resets every task's budget, and the failure that caused the
// whole-job restart counts as well.
void Checker::CheckBudget() {
  if (lost_a_container_ || !given_up_.empty() || !world_.clocks_agree()) return;
  const int job_restarts = workload_.spec.restart_max;
  for (const auto& [id, task] : facts_.tasks()) {
    const int most = Role(id.role).restart.max * (job_restarts + 1) + job_restarts;
    if (task.charged <= most) continue;
    world_.Violate("The budget of a task is never exceeded",
                   Name(id) + " led to " + std::to_string(task.charged) + " restarts of " + std::to_string(most));
  }
}

// Tasks that restart together have no backoff of their own, so only tasks that restart alone are checked.
void Checker::CheckBackoff(const core::StartTask& start) {
  const TaskFacts* task = facts_.Find(start.task);
  if (!task || !task->failed || task->generation != start.generation || !world_.clocks_agree()) return;
  if (given_up_.contains(task->container)) return;  // the executor was unreachable, which is an infrastructure failure
  const Duration paused = world_.schedule.now() - task->over_at;
  if (paused < Role(start.task.role).restart.backoff) {
    world_.Violate("A failed task pauses before it restarts", Name(start.task) + " after " + FormatDuration(paused));
  }
}

// --- after every step ---

// The state of each task in the journal must agree with the delivered events.
void Checker::CheckStates() {
  ForEachTask([this](TaskId task, const FoldedTask& folded) {
    const TaskFacts* facts = facts_.Find(task);
    const auto wrong = [&](const char* what) {
      world_.Violate("The journal agrees with the delivered events",
                     Name(task) + " is " + std::string(core::ToText(folded.state)) + ", but " + what);
    };
    // After a clock jump, a core may give up containers that still work.
    const bool runs = facts && facts->started && !facts->over && world_.clocks_agree();
    if (folded.state == TaskState::kRunning && !(facts && facts->started)) wrong("its start was not reported");
    if (folded.state == TaskState::kRunning && facts && facts->attempt != folded.attempt) wrong("of another attempt");
    if (folded.state == TaskState::kReady && !IsRegistered(task)) wrong("its executor has not registered");
    if (folded.state == TaskState::kPending && runs) wrong("it runs");
    if (folded.state == TaskState::kAllocated) {
      const ContainerFacts* held = facts_.Held(ContainerId{folded.container});
      if (!held || held->task.value_or(task) != task) wrong("its container is not held");
    }
  });
}

void Checker::CheckRequests() {
  for (int role = 0; role < static_cast<int>(workload_.spec.roles.size()); ++role) {
    int kept = 0;
    for (const auto& [id, held] : facts_.held()) kept += held.role == role && !held.released;
    int size = wanted_[static_cast<size_t>(role)];
    for (const auto& [id, task] : facts_.tasks()) size += id.role == role && task.stopped() && !task.over;
    if (kept + facts_.asked(role) > size && facts_.asked(role) > 0) {
      world_.Violate("No more containers are requested than tasks need",
                     Role(role).name + ": " + std::to_string(facts_.asked(role)) + " requested, " +
                         std::to_string(kept) + " kept, " + std::to_string(size) + " tasks");
    }
  }
}

void Checker::CheckStopping() {
  if (!facts_.stop_requested()) return;
  if (!ordered_a_start_) world_.Reach(Situation::kStoppedBeforeStart);
  for (const auto& [id, task] : facts_.tasks()) {
    if (task.over || facts_.AllExited(id)) continue;
    if (!task.stopped()) world_.Violate("A requested stop stops every running attempt at once", Name(id));
    const bool late = task.killed_at && *task.killed_at > facts_.stop_limit();
    if (late && world_.clocks_agree()) world_.Violate("A stop with less grace shortens the current stop", Name(id));
  }
}

void Checker::CheckFailed() {
  for (const auto& [id, task] : facts_.tasks()) {
    if (task.hung && !task.over && !task.stopped()) {
      world_.Violate("A hung attempt is stopped", Name(id));
    }
    const jobspec::RoleSpec& role = Role(id.role);
    const bool service = role.outlive && role.outlive->then == jobspec::Outlive::Then::kService && FailsTheJob(id);
    const bool restarts =
        task.free || workload_.spec.restart_max > 0 || (!task.final && task.charged < role.restart.max);
    if (service && task.failed && !task.over && !restarts && !fold_.stopping()) {
      world_.Violate("The failure of a role that outlives others as a service ends the job", Name(id));
    }
  }
}

// --- situations and failures ---

void Checker::Notice(const core::Event& event) {
  if (const auto* exited = std::get_if<core::ContainerExited>(&event)) {
    const ContainerFacts* held = facts_.Held(exited->container);
    if (held && !held->released) lost_a_container_ = true;
  }
  if (const auto* rank = std::get_if<core::RankExited>(&event)) {
    if (!facts_.Held(rank->container)) world_.Reach(Situation::kMessageOfGoneContainer);
    if (!rank->exit.success() && !rank->by_stop_order()) NoticeFailure(rank->container, rank->attempt, rank->at);
  }
  if (const auto* failed = std::get_if<core::TaskStartFailed>(&event)) {
    NoticeFailure(failed->container, failed->attempt, failed->at);
  }
  if (const auto* hung = std::get_if<core::TaskHung>(&event)) NoticeHang(*hung);
}

// A hang counts as a failure only if the attempt is not already being stopped.
void Checker::NoticeHang(const core::TaskHung& hang) {
  const TaskFacts* task = facts_.Current(hang.container, hang.attempt);
  if (!task || !task->started || task->stopped()) return;
  const TaskId id = *facts_.Held(hang.container)->task;
  if (facts_.AllExited(id)) return;
  NoticeFailure(hang.container, hang.attempt, hang.at, /*hung=*/true);
  const bool ranked = Ranked(id.role);
  world_.Reach(ranked ? Situation::kRankedHung : Situation::kHung);
}

void Checker::NoticeFailure(const ContainerId& container, int attempt, Instant at, bool hung) {
  const TaskFacts* task = facts_.Current(container, attempt);
  if (!task || (task->stopped() && at >= *task->stopped_at)) return;
  OwnFailure* received = truth_.Received(*facts_.Held(container)->task, attempt, hung);
  if (!received) return;
  // A task may fail while it waits to rejoin, and the report may arrive after the others have formed a generation with
  // it. They then have to restart because of this failure.
  received->generation = std::max(received->generation, fold_.generation());
  const RoleKind kind = Role(received->task.role).kind;
  if (kind == RoleKind::kSidecar) world_.Reach(Situation::kSidecarFailed);
  if (kind == RoleKind::kService) world_.Reach(Situation::kServiceFailed);
  for (const OwnFailure& other : truth_.failures()) {
    if (other.at < received->at && !other.received && other.generation == received->generation) {
      world_.Reach(Situation::kFirstCauseOutOfOrder);
    }
  }
}

void Checker::Notice(const core::StartTask& start) {
  const TaskFacts* before = facts_.Find(start.task);
  if (!before) return;
  const bool new_generation = start.generation > before->generation;
  const bool ranked = Ranked(start.task.role);
  if (before->free) world_.Reach(Situation::kFreeByRule);
  if (!new_generation) world_.Reach(before->failed ? Situation::kRestartedAlone : Situation::kRestartedAfterLoss);
  if (new_generation && ranked) world_.Reach(Situation::kRestartedTogether);
  if (new_generation && !ranked) world_.Reach(Situation::kWholeJobRestarted);
}

}  // namespace howdah::testing::sim
