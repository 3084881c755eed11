#include "placements.h"

#include <algorithm>
#include <utility>

#include "howdah/base/text.h"
#include "reason.h"
#include "require.h"
#include "units.h"

namespace howdah::core {
namespace {

using Stage = Container::Phase;

// How often a task's container is replaced if it is lost before a process has run in it.
constexpr int kReplacements = 2;
constexpr char kOrphanedText[] = "the application master died before it had recorded what it started there";
constexpr char kReleasedText[] =
    "the application master died before it had recorded that it had released its container";

// Whether the attempt that an executor reports is orphaned: an earlier AM started it, and died before it recorded the
// start.
bool IsOrphaned(const Task& task, int attempt) {
  return attempt > task.attempt.number() - (task.attempt.used() ? 0 : 1);
}

}  // namespace

Placements::Placements(Units& units)
    : context_(units.context),
      roster_(units.roster),
      recorder_(units.recorder),
      containers_(units.allocation.containers),
      attempts_(units.attempts),
      units_(units) {}

void Placements::On(const ContainerGranted& e) {
  if (containers_.Find(e.container) != nullptr) return;
  Container& container = containers_.Admit(e);
  if (container.recorded()) {
    recorder_.Write(ContainerChanged{
        .type = ContainerChanged::Type::kGranted, .container = e.container.text, .node = e.node, .granted = e.granted});
  }
  units_.recovery.SeeNode(e.node);
  Role* role = roster_.FindRole(e.role);
  Task* task = !units_.phase.ending() && role != nullptr ? units_.allocation.requests.TakeGrant(*role) : nullptr;
  if (task == nullptr) {  // the container was not requested, or is no longer needed
    containers_.Release(container);
    return;
  }
  Assign(container, *task);
  if (units_.allocation.assembly.IsAssembling(*role)) {
    units_.allocation.assembly.Granted();
  } else {
    containers_.Launch(container);
  }
}

void Placements::Assign(Container& container, Task& task) {
  containers_.Assign(container, task);
  if (!task.seat.member()) recorder_.Created(task);
  task.Become(TaskState::kAllocated);
  recorder_.Placed(task);
}

void Placements::On(const ContainerStarting& e) {
  Container* container = containers_.Find(e.container);
  if (container == nullptr || !container->is(Stage::kLaunched)) return;
  std::string stage = OneLine(e.startup_stage, kLongestClause);
  if (stage == container->startup_stage()) return;
  container->SetStartupStage(std::move(stage));
  recorder_.Placed(*container->task(), container->startup_stage());
}

void Placements::On(const ContainerExited& e) {
  if (Container* container = containers_.Find(e.container)) {
    Gone(*container, {e.how, e.infrastructure, e.preempted, e.refused});
  }
}

void Placements::On(const AmContainerReported& e) {
  recorder_.Write(ContainerChanged{.type = ContainerChanged::Type::kAmGranted,
                                   .container = e.container.text,
                                   .node = e.node,
                                   .granted = e.granted,
                                   .since = e.since});
}

void Placements::On(const ReclaimAnnounced& e) {
  Container* container = containers_.Find(e.container);
  if (container == nullptr || container->task() == nullptr || container->reclaimed() || units_.phase.ending()) return;
  Task& task = *container->task();
  if (container->is(Stage::kKilled) || roster_.SpecOf(task).restart.charge_infrastructure) return;
  container->MarkReclaimed();
  const Loss loss{"the cluster reclaims its container: " + OneLine(e.why, kLongestClause), /*infrastructure=*/true,
                  e.preempted};
  task.placement.SetPreempted(task.placement.preempted() || e.preempted);
  if (!task.attempt.is_open()) {
    task.done() ? containers_.ReleaseFrom(task) : containers_.Replace(task);
    LoseIdle(task, loss, context_.now);
  } else if (!task.attempt.failure() && task.attempt.ranks().left > 0 && !task.attempt.stop()) {
    attempts_.NoteFailure(task, attempts_.FailureOf(task, Cause::Kind::kReclaimed, context_.now, loss));
  }
}

void Placements::On(const ExecutorRegistered& e) {
  Container* container = containers_.Heard(e.container);
  if (container == nullptr || container->is(Stage::kKilled)) return;
  // The executor was not connected when the container was released.
  if (container->is(Stage::kReleased)) return containers_.Resend(*container);
  Task& task = *container->task();
  // This AM has launched no executor in a container of the stage kHeld, so an earlier AM must have launched this one.
  if (IsOrphaned(task, e.attempt) || container->is(Stage::kHeld)) return LoseOrphaned(*container);
  if (container->is(Stage::kConnected)) return attempts_.Resend(task);
  Connect(*container, task, e.endpoint);
}

void Placements::Connect(Container& container, Task& task, const HostPort& endpoint) {
  containers_.Connect(container);
  const HostPort known = roster_.EndpointOf(task);
  const bool moved = task.seat.member() && known.port != 0 && known != endpoint;
  roster_.SetEndpoint(task, endpoint);
  task.placement.EndMissing();
  task.Become(TaskState::kReady);
  recorder_.Placed(task);
  if (task.seat.member()) {
    attempts_.Queue(task);
  } else if (task.ranked) {
    units_.membership.growth.GoOnWithoutOverdue(roster_.RoleOf(task));
  }
  if (moved) units_.membership.coordinators.Report(task, "moved to " + task.placement.node());
}

void Placements::On(const ExecutorRefused& e) {
  Container* container = containers_.Find(e.container);
  if (container != nullptr && container->is(Stage::kLaunched)) LoseUnconnected(*container, e.why);
}

void Placements::On(const ExecutorStoring& e) {
  Container* container = containers_.Heard(e.container);
  if (container == nullptr) return;
  containers_.Storing(*container);
  if (!container->is(Stage::kConnected)) return;
  Task& task = *container->task();
  const Loss loss{kReleasedText, /*infrastructure=*/true};
  task.TakeUsage();
  containers_.ReleaseFrom(task);
  if (task.attempt.is_open()) return CloseLost(task, loss, context_.now);
  LoseIdle(task, loss, context_.now);
}

void Placements::Unplace(Task& task, const std::optional<std::string>& reason) {
  if (!task.seat.member()) {
    task.Become(TaskState::kStopped);
    recorder_.Stopped(task, reason);
    recorder_.Removed(task);
  }
  task.Become(TaskState::kPending);
  units_.allocation.requests.Want(task);
  if (task.seat.member()) recorder_.Placed(task, reason);
}

void Placements::Gone(Container& container, const Loss& loss) {
  const ContainerId id = container.id();
  const bool recorded = container.recorded();
  LoseGone(container, loss);
  // Record the release after the end of the attempt, because the attempt ended in the container.
  if (recorded) recorder_.Write(ContainerChanged{.type = ContainerChanged::Type::kReleased, .container = id.text});
}

void Placements::LoseGone(Container& container, const Loss& loss) {
  Task* task = container.task();
  const bool held = container.is(Stage::kHeld);
  const Instant at = container.disconnected().value_or(context_.now);
  std::string how = container.orphaned() ? kOrphanedText : loss.how.empty() ? "its executor exited" : loss.how;
  if (loss.infrastructure && !loss.preempted && task != nullptr) {
    const bool heard = task->placement.connected() || container.disconnected();
    if (heard) how += " (last heartbeat " + FormatDuration(context_.now - container.last_heard()) + " earlier)";
    how += AlsoOnNode(container);
  }
  if (task != nullptr) {
    task->TakeUsage();
    containers_.Detach(*task);
  }
  containers_.Forget(container);
  if (task == nullptr) return;
  task->placement.SetPreempted(task->placement.preempted() || loss.preempted);
  if (task->attempt.is_open()) {
    CloseLost(*task, {how, loss.infrastructure, loss.preempted}, at);
  } else if (held) {
    Unplace(*task);
  } else {
    LoseIdle(*task, {how, loss.infrastructure || container.orphaned(), loss.preempted, loss.refused}, at);
  }
}

// Ends the open attempt of a task that has lost its container.
void Placements::CloseLost(Task& task, const Loss& loss, Instant at) {
  const auto& stop = task.attempt.stop();
  if (!task.attempt.failure() && !task.attempt.ranks().all_clean() && (!stop || at < stop->at)) {
    attempts_.NoteFailure(task, attempts_.FailureOf(task, Cause::Kind::kLost, at, loss));
  }
  attempts_.Close(task, context_.now);
}

// Returns the other tasks on the container's node, as the end of a clause.
std::string Placements::AlsoOnNode(const Container& container) {
  std::vector<std::string> others;
  roster_.ForEach([&](const Task& task) {
    const Container* other = task.placement.container();
    if (other != nullptr && other != &container && other->node() == container.node())
      others.push_back(roster_.NameOf(task));
  });
  return others.empty() ? "" : "; also running there: " + Names(others);
}

bool Placements::FireContainer(const TimerQueue::Entry& entry) {
  Container& container = containers_.At(entry.key.first);
  const bool ending = units_.phase.ending();
  const Instant silent_from = container.last_heard() + context_.spec.timeouts.heartbeat;
  if (container.is(Stage::kConnected) && !ending && silent_from > entry.at) {
    containers_.Arm(container, silent_from);
    return false;
  }
  if (container.is(Stage::kReleased)) {
    containers_.Kill(container);
  } else if (container.is(Stage::kKilled)) {
    unreleased_.push_back(container.id().text + (container.node().empty() ? "" : " on " + container.node()));
    Gone(container, {.how = "it did not exit when it was killed"});
  } else if (container.is(Stage::kLaunched)) {
    const std::string& stage = container.startup_stage();
    LoseUnconnected(container, "its executor did not connect within " +
                                   DurationToText(context_.spec.timeouts.register_) +
                                   " (timeouts.register) of its launch" + (stage.empty() ? "" : ": " + stage));
  } else if (container.is(Stage::kConnected) && !ending) {
    const std::string how = "no heartbeat for " + FormatDuration(context_.now - container.last_heard()) +
                            " (timeouts.heartbeat)" + AlsoOnNode(container);
    const bool infrastructure = ++container.task()->ledger.infrastructure <= Ledger::kMostInfrastructure;
    Lose(container, {how, infrastructure}, container.last_heard());
  }
  return true;
}

// Gives up a container because its executor cannot be reached, or runs an orphaned attempt.
void Placements::Lose(Container& container, const Loss& loss, Instant at) {
  Task& task = *container.task();
  containers_.Kill(container);
  if (!task.attempt.is_open()) {
    containers_.Detach(task);
    LoseIdle(task, loss, at);
  } else if (!task.attempt.ranks().all_clean()) {
    attempts_.NoteFailure(task, attempts_.FailureOf(task, Cause::Kind::kLost, at, loss));
  }
}

// This AM cannot control the executor in the container. The task starts elsewhere once the container is gone.
void Placements::LoseOrphaned(Container& container) {
  const Loss loss{kOrphanedText, /*infrastructure=*/true};
  Task& task = *container.task();
  if (task.attempt.is_open()) return Lose(container, loss, context_.now);
  units_.allocation.assembly.FormAgain(roster_.RoleOf(task));
  container.MarkOrphaned();
  containers_.Kill(container);
}

void Placements::LoseUnconnected(Container& container, const std::string& why) {
  Task& task = *container.task();
  containers_.Detach(task);
  containers_.Kill(container);
  LoseIdle(task, {.how = why}, context_.now);
}

// Handles a task that has lost its container while no attempt ran in it.
void Placements::LoseIdle(Task& task, const Loss& loss, Instant at) {
  if (units_.phase.ending() || task.done() || task.seat.leaving()) return;
  if (!task.seat.member()) {
    return units_.membership.growth.LoseOptional(task, loss, loss.refused ? 0 : kReplacements);
  }
  if (units_.phase.Drains(task) && IsFinal(task.state())) return;  // the task gets another container when it restarts
  LoseMember(task, loss, at);
}

void Placements::LoseMember(Task& task, const Loss& loss, Instant at) {
  const Role& role = roster_.RoleOf(task);
  Assembly& assembly = units_.allocation.assembly;
  assembly.FormAgain(role);
  const bool starts_as_group = units_.phase.holds() || assembly.IsForming(role) || !assembly.IsOpen(role);
  const bool others_run = task.ranked && roster_.ranked().started > 0 && !units_.phase.Drains(task) && !starts_as_group;
  const bool too_often =
      !loss.infrastructure && task.placement.CountLaunchFailure() > (loss.refused ? 0 : kReplacements);
  // The running ranked tasks still use the address of this task, which is no longer valid.
  const auto kind = others_run && !too_often ? Cause::Kind::kLost : Cause::Kind::kNotReady;
  Failure failure = attempts_.FailureOf(task, kind, at, loss);
  if (!others_run && !too_often) {
    Unplace(task, FailureText(roster_.NameOf(task), failure) + "; another container is requested");
    units_.membership.growth.AwaitReplacement(task);
    assembly.Refill();
    return;
  }
  if (const int earlier = task.placement.launch_failures() - 1; too_often && earlier > 0) {
    failure.what += "; " + std::to_string(earlier) + " earlier containers of the task had failed too";
  }
  task.Become(too_often ? TaskState::kFailed : TaskState::kLost);
  task.attempt.SetExit(std::nullopt);
  task.attempt.Fail(std::move(failure));
  recorder_.Ended(task, context_.now);
  if (too_often && units_.recovery.FailsJob(task)) {
    units_.ending.Begin({.origin = Ending::Origin::kFailure});
  } else if (too_often) {
    attempts_.MarkDone(task);
  } else {
    units_.recovery.React(task);
    if (task.attempt.failure()->remedy == Remedy::kAccept) attempts_.MarkDone(task);
  }
}

}  // namespace howdah::core
