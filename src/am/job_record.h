// The AM's record of its job: the journal file and the status derived from it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "howdah/am/loop/ports.h"
#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"
#include "journal_file.h"

namespace howdah::am {

// Not thread-safe.
class JobRecord final : public loop::Journal {
 public:
  // Opens the journal at the path for appending.
  static Result<JobRecord> Open(const std::string& path);

  // Called for each entry that records the end of an attempt, with the offset of its line.
  using OnAttemptEnd = std::function<void(const core::TaskChanged& ended, int64_t offset)>;
  void SetOnAttemptEnd(OnAttemptEnd on_attempt_end) { on_attempt_end_ = std::move(on_attempt_end); }

  // loop::Journal
  void Add(const core::JournalEntry& entry) override;
  Status Flush() override { return file_.Flush(); }

  // The status derived from the journal, queued entries included.
  const journal::JobView& view() const { return view_; }
  // The number of entries that the journal had at Open.
  size_t entries_before() const { return entries_before_; }
  // The journal's size in bytes, queued entries included.
  int64_t size() const { return file_.size(); }
  // The journal's text, queued entries included.
  Result<std::string> Text() const { return file_.Text(); }
  // The newest change of the job's own state.
  const core::JobChanged& newest() const { return newest_; }

 private:
  JobRecord(JournalFile file, journal::JobView view, size_t entries_before)
      : file_(std::move(file)), view_(std::move(view)), entries_before_(entries_before) {}

  JournalFile file_;
  journal::JobView view_;
  size_t entries_before_;
  core::JobChanged newest_;
  OnAttemptEnd on_attempt_end_;
};

}  // namespace howdah::am
