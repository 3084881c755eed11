// Writes a job's history in the format of TonY's application master.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/compat/tony/history/job.h"
#include "howdah/core/change.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/storage/files.h"

namespace howdah::storage::history {

// A job with a history location in its job file (spec.tony_history).
struct Job {
  const jobspec::JobSpec& spec;
  std::vector<core::JournalEntry> journal;  // the journal so far; at least its first entry
  compat::tony::history::AmContainer am;    // where the application master runs or ran
};

// Call when the job starts to run. Writes its configuration, and a file of events that is marked as in progress. If an
// earlier application master has written them, they stay unchanged.
Status Begin(storage::Files& files, const Job& job, Instant now);
// Call when the job has ended. Writes all events to a file whose name has the final status, and anything that Begin
// could not write. Calling it again changes nothing.
Status End(storage::Files& files, const Job& job);

}  // namespace howdah::storage::history
