#include "recorder.h"

#include <utility>

#include "container.h"
#include "howdah/core/progress.h"
#include "reason.h"

namespace howdah::core {

TaskChanged Recorder::Entry(const Task& task, TaskChanged::Type type) const {
  TaskChanged change;
  change.type = type;
  change.role = roster_.SpecOf(task).name;
  change.index = task.id.index;
  change.state = task.state();
  change.attempt = task.attempt.number();
  return change;
}

TaskChanged Recorder::EntryWithRanks(const Task& task, TaskChanged::Type type) const {
  TaskChanged change = Entry(task, type);
  change.generation = phase_.generation();
  change.ranks = roster_.RanksOf(task);
  return change;
}

void Recorder::Placed(const Task& task, std::optional<std::string> reason) {
  TaskChanged change = Entry(task, TaskChanged::Type::kPending);
  if (task.state() == TaskState::kReady) {
    const HostPort& endpoint = roster_.EndpointOf(task);
    change.type = TaskChanged::Type::kReady;
    change.host = endpoint.host;
    change.port = endpoint.port;
  } else if (task.state() == TaskState::kAllocated) {
    change.type = TaskChanged::Type::kAllocated;
    change.node = task.placement.container()->node();
    change.container = task.placement.container()->id().text;
  } else if (!task.placement.node().empty()) {
    change.node = "";
    change.container = "";
  }
  change.reason = std::move(reason);
  Write(std::move(change));
}

void Recorder::Started(const Task& task, const TaskStarted& e) {
  TaskChanged change = EntryWithRanks(task, TaskChanged::Type::kStarted);
  change.pids = e.pids;
  change.started = task.attempt.started();
  if (e.filling >= std::chrono::milliseconds(1)) change.filling = e.filling;
  change.reason = "";  // clears the reason of an earlier lost container
  Write(std::move(change));
}

void Recorder::Serves(const Task& task) { Write(Entry(task, TaskChanged::Type::kServes)); }

void Recorder::Rejoined(const Task& task) { Write(EntryWithRanks(task, TaskChanged::Type::kRejoined)); }

void Recorder::Ended(const Task& task, Instant at) {
  TaskChanged change = Entry(task, TaskChanged::Type::kExited);
  if (task.state() == TaskState::kLost) change.type = TaskChanged::Type::kLost;
  if (task.state() == TaskState::kStopped) change.type = TaskChanged::Type::kStopped;
  change.exit = task.attempt.exit();
  change.finished = at;
  change.usage = task.progress.usage;
  change.progress = task.progress.latest;
  change.left_files = task.progress.left_files;
  if (!task.results.bytes.empty()) change.result_bytes = task.results.bytes;
  if (const auto& failure = task.attempt.failure()) {
    change.reason = FailureText(roster_.NameOf(task), *failure);
    if (!failure->diagnosis.advice.empty()) change.advice = failure->diagnosis.advice;
  }
  Write(std::move(change));
}

void Recorder::Stopped(const Task& task, std::optional<std::string> reason) {
  TaskChanged change = Entry(task, TaskChanged::Type::kStopped);
  change.finished = context_.now;
  change.reason = std::move(reason);
  Write(std::move(change));
}

void Recorder::Progressed(Task& task) {
  if (context_.now < task.progress.next_entry) return;
  task.progress.next_entry = context_.now + PauseAfterProgress(++task.progress.entries, roster_.all().tasks);
  TaskChanged change = Entry(task, TaskChanged::Type::kProgressed);
  change.progress = task.progress.latest;
  Write(std::move(change));
}

void Recorder::Hung(const Task& task, std::string reason) {
  TaskChanged change = Entry(task, TaskChanged::Type::kHung);
  change.reason = std::move(reason);
  change.progress = task.progress.latest;
  Write(std::move(change));
}

void Recorder::StackSampled(const Task& task, std::string reason) {
  TaskChanged change = Entry(task, TaskChanged::Type::kStackSampled);
  change.reason = std::move(reason);
  Write(std::move(change));
}

void Recorder::AmStarted(const core::AmStarted& e) {
  JobChanged started{.type = JobChanged::Type::kAmStarted, .state = JobState::kStarting, .am_attempt = e.attempt};
  if (phase_.generation() > 0) started.generation = phase_.generation();
  if (!e.tracking_url.empty()) started.tracking_url = e.tracking_url;
  Write(std::move(started));
}

void Recorder::Resumed(const AmResumed& e, size_t containers) {
  JobChanged resumed{.type = JobChanged::Type::kAmStarted, .am_attempt = e.attempt};
  if (phase_.running()) {
    resumed.reason = "the application master (attempt " + std::to_string(e.attempt - 1) + ") " +
                     (e.how.empty() ? "died" : e.how) + "; attempt " + std::to_string(e.attempt) +
                     " continues and has adopted " + std::to_string(containers) +
                     (containers == 1 ? " container" : " containers");
  }
  if (!e.tracking_url.empty()) resumed.tracking_url = e.tracking_url;
  Write(std::move(resumed));
}

void Recorder::Recovering(const Reason& why, const std::string& suffix) {
  const std::string reason = why.text + "; " + suffix;
  own_wait_ = reason;
  backend_wait_ = {};
  recorded_wait_ = reason;
  Write(JobChanged{.type = JobChanged::Type::kRecovering,
                   .state = JobState::kRecovering,
                   .generation = phase_.generation(),
                   .reason = reason,
                   .cause = why.cause});
}

void Recorder::Running() {
  own_wait_.clear();
  backend_wait_ = {};
  recorded_wait_.clear();
  Write(JobChanged{.type = JobChanged::Type::kRunning,
                   .state = JobState::kRunning,
                   .generation = phase_.generation(),
                   .reason = "",
                   .advice = ""});
}

void Recorder::Advise(JobChanged::Type type, std::string advice) {
  Write(JobChanged{.type = type, .advice = std::move(advice)});
}

void Recorder::TensorBoard(const TensorBoardReported& e) {
  JobChanged change{.type = JobChanged::Type::kTensorboard};
  if (!e.url.empty()) change.tensorboard_url = e.url;
  if (!e.advice.empty()) change.advice = e.advice;
  tensorboard_advice_ = e.advice;
  Write(std::move(change));
}

void Recorder::Waiting() {
  if (!phase_.waits()) return;
  std::string reason = own_wait_;
  if (!backend_wait_.reason.empty()) reason += (reason.empty() ? "" : "; ") + backend_wait_.reason;
  if (reason == recorded_wait_) return;
  recorded_wait_ = reason;
  Write(JobChanged{.type = JobChanged::Type::kWaiting, .reason = std::move(reason)});
}

}  // namespace howdah::core
