#include "job_record.h"

#include <utility>
#include <variant>

namespace howdah::am {

Result<JobRecord> JobRecord::Open(const std::string& path) {
  journal::JobView view;
  size_t entries = 0;
  HOWDAH_TRY(auto file, JournalFile::Open(path, [&](const core::JournalEntry& entry) {
               view.Apply(entry);
               ++entries;
             }));
  return JobRecord(std::move(file), std::move(view), entries);
}

void JobRecord::Add(const core::JournalEntry& entry) {
  const auto* task = std::get_if<core::TaskChanged>(&entry.change);
  if (task != nullptr && task->finished && on_attempt_end_) on_attempt_end_(*task, file_.size());
  if (const auto* job = std::get_if<core::JobChanged>(&entry.change)) newest_ = *job;
  file_.Add(entry);
  view_.Apply(entry);
}

}  // namespace howdah::am
