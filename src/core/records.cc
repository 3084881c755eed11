#include <utility>

#include "howdah/core/progress.h"
#include "howdah/core/ranks.h"
#include "job_impl.h"

namespace howdah::core {

TaskChanged Job::Impl::Note(const Task& task, TaskChanged::Type type) const {
  TaskChanged change;
  change.type = type;
  change.role = SpecOf(task).name;
  change.index = task.id.index;
  change.state = task.state;
  change.attempt = task.attempt;
  return change;
}

void Job::Impl::NotePlaced(const Task& task, std::optional<std::string> reason) {
  TaskChanged change = Note(task, TaskChanged::Type::kPending);
  if (task.state == TaskState::kReady) {
    const HostPort& endpoint = endpoints_[static_cast<size_t>(task.id.role)][static_cast<size_t>(task.id.index)];
    change.type = TaskChanged::Type::kReady;
    change.host = endpoint.host;
    change.port = endpoint.port;
  } else if (task.state == TaskState::kAllocated) {
    change.type = TaskChanged::Type::kAllocated;
    change.node = task.container->node;
    change.container = task.container->id.text;
  } else if (!task.node.empty()) {
    change.node = "";
    change.container = "";
  }
  change.reason = std::move(reason);
  Write(std::move(change));
}

std::vector<int> Job::Impl::RanksOfTask(const Task& task) const {
  std::vector<int> sizes(roles_.size());
  for (size_t r = 0; r < roles_.size(); ++r) sizes[r] = WorldSize(r);
  return RanksOf(spec_, sizes, {task.id.role, task.place});
}

// Its world, and its ranks in it.
TaskChanged Job::Impl::NoteInWorld(const Task& task, TaskChanged::Type type) const {
  TaskChanged change = Note(task, type);
  change.generation = generation_;
  change.ranks = RanksOfTask(task);
  return change;
}

void Job::Impl::NoteRejoined(const Task& task) { Write(NoteInWorld(task, TaskChanged::Type::kRejoined)); }

void Job::Impl::NoteStarted(const Task& task, const std::vector<int>& pids) {
  TaskChanged change = NoteInWorld(task, TaskChanged::Type::kStarted);
  change.pids = pids;
  change.started = task.started;
  change.reason = "";  // of a container that was lost before
  Write(std::move(change));
}

void Job::Impl::NoteEnded(const Task& task, Instant at) {
  TaskChanged change = Note(task, TaskChanged::Type::kExited);
  if (task.state == TaskState::kLost) change.type = TaskChanged::Type::kLost;
  if (task.state == TaskState::kStopped) change.type = TaskChanged::Type::kStopped;
  change.exit = task.exit;
  change.finished = at;
  change.progress = task.progress;
  if (task.failure) {
    change.reason = FailureText(NameOf(task), *task.failure);
    if (!task.failure->diagnosis.advice.empty()) change.advice = task.failure->diagnosis.advice;
  }
  Write(std::move(change));
}

void Job::Impl::NoteStopped(const Task& task, std::optional<std::string> reason) {
  TaskChanged change = Note(task, TaskChanged::Type::kStopped);
  change.finished = now_;
  change.reason = std::move(reason);
  Write(std::move(change));
}

void Job::Impl::NoteResumed(const AmResumed& e) {
  JobChanged resumed{.type = JobChanged::Type::kAmStarted, .am_attempt = e.attempt};
  if (state_ == JobState::kRunning && !ending_) {
    resumed.reason = "the application master (attempt " + std::to_string(e.attempt - 1) + ") " +
                     (e.how.empty() ? "died" : e.how) + "; attempt " + std::to_string(e.attempt) +
                     " goes on and has adopted " + std::to_string(by_id_.size()) +
                     (by_id_.size() == 1 ? " container" : " containers");
  }
  Write(std::move(resumed));
}

void Job::Impl::NoteProgress(Task& task) {
  if (now_ < task.next_progress_entry) return;
  task.next_progress_entry = now_ + PauseAfterProgress(++task.progress_entries, all_.tasks);
  TaskChanged change = Note(task, TaskChanged::Type::kProgressed);
  change.progress = task.progress;
  Write(std::move(change));
}

void Job::Impl::NoteRecovering(const std::string& reason) {
  state_ = JobState::kRecovering;
  own_wait_ = reason;
  place_wait_.clear();
  noted_wait_ = reason;
  Write(
      JobChanged{.type = JobChanged::Type::kRecovering, .state = state_, .generation = generation_, .reason = reason});
}

// Of the generation it is known that it runs.
void Job::Impl::NoteRunning() {
  if (ending_ || drain_ || barrier_ || Forming() || state_ == JobState::kRunning) return;
  state_ = JobState::kRunning;
  own_wait_.clear();
  place_wait_.clear();
  noted_wait_.clear();
  Write(JobChanged{
      .type = JobChanged::Type::kRunning, .state = state_, .generation = generation_, .reason = "", .advice = ""});
  if (running_since_) return;
  running_since_ = now_;
  if (spec_.timeouts.run) Arm(JobTimer::kRun, now_ + *spec_.timeouts.run);
}

void Job::Impl::NoteWaiting() {
  if (ending_ || (state_ != JobState::kStarting && state_ != JobState::kRecovering)) return;
  std::string reason = own_wait_;
  if (!place_wait_.empty()) reason += (reason.empty() ? "" : "; ") + place_wait_;
  if (reason == noted_wait_) return;
  noted_wait_ = reason;
  Write(JobChanged{.type = JobChanged::Type::kWaiting, .reason = std::move(reason)});
}

}  // namespace howdah::core
