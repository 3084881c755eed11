#include "unfinished_roles.h"

#include <algorithm>
#include <utility>

#include "reason.h"
#include "units.h"

namespace howdah::core {
namespace {

// The wait before unfinished roles are reported, because the tasks of one role often end some seconds after those of
// another.
constexpr Duration kWait = std::chrono::seconds(10);

// Whether a role starts when all tasks of this role have finished.
bool IsAwaited(const jobspec::JobSpec& spec, const std::string& name) {
  return std::any_of(spec.roles.begin(), spec.roles.end(), [&](const jobspec::RoleSpec& role) {
    return std::any_of(role.after.begin(), role.after.end(),
                       [&](const jobspec::After& after) { return after.finished && after.role == name; });
  });
}

}  // namespace

UnfinishedRoles::UnfinishedRoles(Units& units)
    : context_(units.context), roster_(units.roster), recorder_(units.recorder), phase_(units.phase) {}

std::vector<std::string> UnfinishedRoles::EndedRoles() const {
  std::vector<std::string> ended;
  bool unfinished = false;
  for (const Role& role : roster_.roles()) {
    if (role.spec().chief || role.spec().outlive || context_.rules.first_rank_decides) return {};
    if (role.kind() != jobspec::RoleKind::kWorker || role.tally().tasks == 0) continue;
    unfinished |= !role.all_done();
    if (role.all_done() && !IsAwaited(context_.spec, role.spec().name)) ended.push_back(role.spec().name);
  }
  return unfinished ? ended : std::vector<std::string>();
}

std::string UnfinishedRoles::Text() const {
  const std::vector<std::string> ended = EndedRoles();
  if (ended.empty()) return "";
  std::vector<std::string> running;
  for (const Role& role : roster_.roles()) {
    if (role.kind() != jobspec::RoleKind::kWorker) continue;
    for (const Task& task : role.tasks()) {
      if (task.state() == TaskState::kRunning) running.push_back(roster_.NameOf(task));
    }
  }
  return running.empty() ? "" : UnfinishedRoleText(ended, running);
}

void UnfinishedRoles::Watch() {
  if (phase_.ending() || phase_.draining()) return;
  if (EndedRoles().empty() && recorded_.empty()) {
    context_.timers.Disarm(JobTimer::kUnfinishedRoles);
  } else if (!context_.timers.IsArmed(JobTimer::kUnfinishedRoles)) {
    context_.timers.Arm(JobTimer::kUnfinishedRoles, context_.now + kWait);
  }
}

void UnfinishedRoles::Fire() {
  std::string text = phase_.running() ? Text() : "";
  if (text == recorded_) return;
  recorded_ = text;
  recorder_.Write(JobChanged{.type = JobChanged::Type::kWaiting, .reason = std::move(text)});
}

void UnfinishedRoles::Forget() {
  context_.timers.Disarm(JobTimer::kUnfinishedRoles);
  recorded_.clear();
}

}  // namespace howdah::core
