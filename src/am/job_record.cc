#include "job_record.h"

#include <utility>
#include <variant>

namespace howdah::am {

Result<JobRecord> JobRecord::Open(const std::string& path) {
  HOWDAH_TRY(const auto entries, ReadJournal(path));
  HOWDAH_TRY(auto file, JournalFile::Open(path));
  return JobRecord(std::move(file), entries);
}

JobRecord::JobRecord(JournalFile file, const std::vector<core::JournalEntry>& entries)
    : file_(std::move(file)), entries_before_(entries.size()) {
  for (const core::JournalEntry& entry : entries) view_.Apply(entry);
}

void JobRecord::Add(const core::JournalEntry& entry) {
  const auto* task = std::get_if<core::TaskChanged>(&entry.change);
  if (task != nullptr && task->finished && on_attempt_end_) on_attempt_end_(*task, file_.size());
  if (const auto* job = std::get_if<core::JobChanged>(&entry.change)) newest_ = *job;
  file_.Add(entry);
  view_.Apply(entry);
}

}  // namespace howdah::am
