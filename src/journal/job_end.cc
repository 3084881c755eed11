#include "howdah/journal/job_end.h"

namespace howdah::journal {

bool EndsJob(const core::JournalEntry& entry) {
  const auto* job = std::get_if<core::JobChanged>(&entry.change);
  return job != nullptr && job->state && core::IsFinal(*job->state);
}

std::string EndLines(const JobView& view, core::JobChanged end, const std::string& task_reason, Instant now) {
  std::string lines;
  for (const TaskView& task : view.tasks) {
    if (core::IsFinal(task.state)) continue;
    core::TaskChanged stopped;
    stopped.type = core::TaskChanged::Type::kStopped;
    stopped.role = task.role;
    stopped.index = task.index;
    stopped.attempt = task.attempt;
    stopped.state = core::TaskState::kStopped;
    if (task.started) stopped.finished = now;
    stopped.reason = task_reason;
    lines += EncodeEntry({now, std::move(stopped)}) + "\n";
  }
  end.type = core::JobChanged::Type::kFinished;
  return lines + EncodeEntry({now, std::move(end)}) + "\n";
}

}  // namespace howdah::journal
