#include "invariants.h"

#include "require.h"
#include "units.h"

namespace howdah::core {
namespace {

void CheckTask(const Task& task) {
  const Container* container = task.placement.container();
  const bool open = task.attempt.is_open();
  Require(task.CountedRight(), "a task is counted in a wrong state");
  Require(container == nullptr || container->task() == &task, "the container of a task belongs to another task");
  Require(!open || container != nullptr, "an attempt runs without a container");
  Require(!open || !task.done(), "a task is done and has an attempt that runs");
  Require(!task.done() || IsFinal(task.state()), "a task is done in a state that is not final");
  Require(task.state() != TaskState::kRunning || open, "a task is RUNNING and has no attempt");
  const bool has = container != nullptr && !container->is(Container::Phase::kKilled);
  Require(task.state() != TaskState::kPending || !has, "a task is PENDING and has a container");
  Require(task.state() != TaskState::kReady || container != nullptr, "a task is READY and has no container");
  Require(task.attempt.number() >= 0 && task.ledger.charged >= 0, "an attempt or a budget is negative");
}

}  // namespace

void CheckStep(Units& units) {
  const Allocation& allocation = units.allocation;
  const int open = units.roster.all().open;
  if (units.roster.last_changed() != nullptr) CheckTask(*units.roster.last_changed());
  Require(open >= 0 && open <= static_cast<int>(allocation.containers.size()), "an attempt without a container");
  if (units.ending.finished()) {
    Require(allocation.containers.empty(), "the job has finished and holds containers");
    return;
  }
  const bool requests = !units.phase.ending() && !allocation.assembly.paused();
  Require(requests || !allocation.requests.any(), "containers are requested although none are wanted");
  Require(!(units.phase.ending() && units.phase.restarting()), "the job recovers while it ends");
}

void CheckAll(Units& units) {
  CheckStep(units);
  units.roster.CheckSums();
  units.roster.ForEach([](const Task& task) {
    CheckTask(task);
    Require(task.seat.member() || !task.attempt.is_open(), "an attempt runs for a task that is not a member");
  });
  const bool requests =
      !units.phase.ending() && !units.phase.queued() && !units.ending.finished() && !units.allocation.assembly.paused();
  units.allocation.requests.Check(/*up_to_date=*/requests);
  units.allocation.containers.CheckAssignments();
}

}  // namespace howdah::core
