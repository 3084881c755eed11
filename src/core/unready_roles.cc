#include "unready_roles.h"

#include <algorithm>
#include <utility>

#include "reason.h"
#include "units.h"

namespace howdah::core {
namespace {

// How long a role waits before the wait is reported, because most servers need some seconds until they are ready.
constexpr Duration kReportedAfter = std::chrono::seconds(10);

}  // namespace

UnreadyRoles::UnreadyRoles(Units& units)
    : context_(units.context), roster_(units.roster), recorder_(units.recorder), phase_(units.phase) {}

UnreadyRoles::Wait UnreadyRoles::First() const {
  for (const Role& role : roster_.roles()) {
    for (const jobspec::After& after : role.spec().after) {
      if (!after.ready || role.tally().started == role.tally().tasks) continue;
      for (const Role& other : roster_.roles()) {
        const Tally& tally = other.tally();
        if (other.spec().name == after.role && tally.serving < tally.tasks && tally.started == tally.tasks)
          return {&role, &other};
      }
    }
  }
  return {};
}

std::string UnreadyRoles::Text() const {
  const Wait wait = First();
  if (wait.unready == nullptr) return "";
  const auto& tasks = wait.unready->tasks();
  const auto task = std::find_if(tasks.begin(), tasks.end(), [](const Task& t) {
    return t.attempt.started() && !t.serving() && t.state() == TaskState::kRunning;
  });
  if (task == tasks.end()) return "";
  return UnreadyText(wait.waiting->spec().name, roster_.NameOf(*task), *wait.unready->spec().ready,
                     *task->attempt.started());
}

void UnreadyRoles::Watch() {
  if (phase_.ending() || phase_.draining()) return;
  if (First().unready == nullptr && recorded_.empty()) {
    context_.timers.Disarm(JobTimer::kUnreadyRoles);
  } else if (!context_.timers.IsArmed(JobTimer::kUnreadyRoles)) {
    context_.timers.Arm(JobTimer::kUnreadyRoles, context_.now + kReportedAfter);
  }
}

void UnreadyRoles::Fire() {
  std::string text = Text();
  if (text != recorded_) {
    recorded_ = text;
    recorder_.Write(JobChanged{.type = JobChanged::Type::kWaiting, .reason = std::move(text)});
  }
  // The task may fail and start again, or another task may be the one that is not ready.
  if (First().unready != nullptr) context_.timers.Arm(JobTimer::kUnreadyRoles, context_.now + kReportedAfter);
}

void UnreadyRoles::Forget() {
  context_.timers.Disarm(JobTimer::kUnreadyRoles);
  recorded_.clear();
}

}  // namespace howdah::core
