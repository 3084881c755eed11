#include "howdah/history/job_end.h"

namespace howdah::history {

std::vector<core::JournalEntry> EndEntries(const JobView& view, core::JobChanged end, const std::string& task_reason,
                                           Instant now) {
  std::vector<core::JournalEntry> entries;
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
    entries.push_back({now, std::move(stopped)});
  }
  end.type = core::JobChanged::Type::kFinished;
  entries.push_back({now, std::move(end)});
  return entries;
}

}  // namespace howdah::history
