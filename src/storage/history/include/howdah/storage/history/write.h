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

// A job whose job file names a history location (spec.tony_history).
struct Job {
  const jobspec::JobSpec& spec;
  std::vector<core::JournalEntry> journal;  // the journal so far, with at least its first entry
  compat::tony::history::AmContainer am;    // where the application master runs or ran
};

// Call this when the job starts to run. Writes the job's configuration, and a file of events that is marked as in
// progress. Does not change files that an earlier application master has written.
Status Begin(storage::Files& files, const Job& job, Instant now);
// Call this when the job has ended. Writes all events to a file whose name has the final status, and anything that
// Begin has not written. Repeated calls change nothing.
Status End(storage::Files& files, const Job& job);

}  // namespace howdah::storage::history
