#include "model.h"

#include <algorithm>

namespace howdah::core {

void Tally::Add(const Tally& other, int sign) {
  tasks += sign * other.tasks;
  lacking += sign * other.lacking;
  unregistered += sign * other.unregistered;
  started += sign * other.started;
  done += sign * other.done;
  succeeded += sign * other.succeeded;
  failed += sign * other.failed;
  open += sign * other.open;
  arrived += sign * other.arrived;
  joined += sign * other.joined;
  waiting += sign * other.waiting;
  hanging += sign * other.hanging;
  budget += sign * other.budget;
  spare += sign * other.spare;
  coming += sign * other.coming;
  newcomers += sign * other.newcomers;
}

Tally CountsOf(const Task& task, int restart_max) {
  Tally t;
  t.open = task.run != Task::Run::kNone;
  if (task.whole()) {
    t.joined = task.meeting == Task::Meeting::kJoined;
    t.waiting = task.meeting == Task::Meeting::kRejoining;
  }
  if (task.leaving) return t;
  if (!task.member) {
    t.spare = !task.done && task.container == nullptr;
    t.coming = !task.done && task.container != nullptr && !task.connected();
    t.newcomers = !task.done && task.connected();
    return t;
  }
  t.tasks = 1;
  t.lacking = !task.done && task.state == TaskState::kPending && task.container == nullptr;
  t.unregistered = !task.done && !task.connected();
  t.started = task.has_started || task.done;
  t.done = task.done;
  t.arrived = task.done || (task.whole() && task.meeting != Task::Meeting::kNone);
  t.succeeded = task.done && task.state == TaskState::kSucceeded;
  t.failed = task.done && (task.state == TaskState::kFailed || task.state == TaskState::kLost);
  t.hanging = task.failure && task.failure->how == Failure::How::kNoProgress;
  t.budget = std::max(0, restart_max - task.paid);
  return t;
}

}  // namespace howdah::core
