#include "journal_fold.h"

#include <algorithm>
#include <vector>

#include "howdah/base/ids.h"

namespace howdah::testing::sim {
namespace {

using core::JobState;
using core::TaskState;

struct JobRow {
  JobState from;
  std::vector<JobState> to;
};
struct TaskRow {
  TaskState from;
  std::vector<TaskState> to;
};

// The states that may follow each state of a job. A state may also follow itself, unless it is final.
const std::vector<JobRow>& JobTable() {
  using enum JobState;
  static const std::vector<JobRow> rows = {
      {kQueued, {kStarting, kFailed, kKilled}},
      {kStarting, {kRunning, kRecovering, kSucceeded, kFailed, kKilled}},
      {kRunning, {kRecovering, kSucceeded, kFailed, kKilled}},
      {kRecovering, {kRunning, kSucceeded, kFailed, kKilled}},
      {kSucceeded, {}},
      {kFailed, {}},
      {kKilled, {}},
  };
  return rows;
}

// The states that may follow each state of a task. A state may also follow itself.
const std::vector<TaskRow>& TaskTable() {
  using enum TaskState;
  static const std::vector<TaskRow> rows = {
      {kPending, {kAllocated, kLost, kStopped}},
      {kAllocated, {kReady, kPending, kFailed, kLost, kStopped}},
      {kReady, {kRunning, kFailed, kPending, kLost, kStopped}},
      {kRunning, {kSucceeded, kFailed, kLost, kStopped, kReady, kPending}},
      {kSucceeded, {kPending, kReady}},
      {kFailed, {kPending, kReady}},
      {kLost, {kPending}},
      {kStopped, {kPending, kReady}},
  };
  return rows;
}

template <typename State, typename Row>
bool Allowed(const std::vector<Row>& table, State from, State to) {
  if (from == to) return true;
  const auto row = std::find_if(table.begin(), table.end(), [from](const Row& r) { return r.from == from; });
  return std::find(row->to.begin(), row->to.end(), to) != row->to.end();
}

template <typename State>
std::string Step(State from, State to) {
  return "from " + std::string(core::ToText(from)) + " to " + std::string(core::ToText(to));
}

}  // namespace

std::string JournalFold::Take(const core::Change& change) {
  if (core::IsFinal(job_state_)) return "an entry follows the final state";
  return std::visit([this](const auto& c) { return Fold(c); }, change);
}

const FoldedTask* JournalFold::Find(const std::string& role, int index) const {
  const auto at = tasks_.find({role, index});
  return at == tasks_.end() ? nullptr : &at->second;
}

int JournalFold::Size(const std::string& role) const {
  int size = 0;
  for (auto at = tasks_.lower_bound({role, 0}); at != tasks_.end() && at->first.first == role; ++at) ++size;
  return size;
}

std::string JournalFold::Fold(const core::JobSubmitted& change) {
  if (!tasks_.empty()) return "the job was submitted twice";
  for (const auto& role : change.roles) {
    for (int index = 0; index < role.instances; ++index) tasks_[{role.name, index}] = {};
  }
  return "";
}

std::string JournalFold::Fold(const core::JobChanged& change) {
  if (change.generation && *change.generation < generation_) return "the generation went back";
  if (change.state && !Allowed(JobTable(), job_state_, *change.state))
    return "the job went " + Step(job_state_, *change.state);
  if (change.state) job_state_ = *change.state;
  if (change.type == core::JobChanged::Type::kStopping) stopping_ = true;
  if (change.generation) generation_ = *change.generation;
  if (change.reason) {
    reason_ = *change.reason;
    cause_ = change.cause;
  }
  return "";
}

std::string JournalFold::Fold(const core::TaskChanged& change) {
  const std::string name = TaskText(change.role, change.index);
  const auto at = tasks_.find({change.role, change.index});
  if (at == tasks_.end()) {
    if (change.type != core::TaskChanged::Type::kPending) return name + " changed before it was pending";
    tasks_[{change.role, change.index}] = {change.state, change.attempt, "", ""};
    return "";
  }
  FoldedTask& task = at->second;
  if (!Allowed(TaskTable(), task.state, change.state)) return name + " went " + Step(task.state, change.state);
  if (change.attempt < task.attempt) return "the attempt of " + name + " went back";
  if (change.type == core::TaskChanged::Type::kRemoved) {
    tasks_.erase(at);
    return "";
  }
  task.state = change.state;
  task.attempt = change.attempt;
  if (change.container) task.container = *change.container;
  if (change.reason) task.reason = *change.reason;
  return "";
}

std::string JournalFold::Fold(const core::RoleScaled& change) {
  return change.from == change.to ? "a role was scaled to the size that it had" : "";
}

std::string JournalFold::Fold(const core::ContainerChanged& change) {
  using Type = core::ContainerChanged::Type;
  if (change.type == Type::kAmGranted) return "";
  if (change.type == Type::kGranted && !held_.insert(change.container).second)
    return change.container + " was granted twice";
  if (change.type == Type::kReleased && held_.erase(change.container) == 0)
    return change.container + " was released twice";
  return "";
}

}  // namespace howdah::testing::sim
