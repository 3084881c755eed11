// A job's history written as TonY's application master writes it.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/compat/tony/history/job.h"
#include "howdah/core/change.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/storage/files.h"

namespace howdah::storage::history {

// A job whose file says where its history goes (spec.tony_history).
struct Job {
  const jobspec::JobSpec& spec;
  std::vector<core::JournalEntry> journal;  // as far as it goes; at least its first line
  compat::tony::history::AmContainer am;    // where the application master runs or ran
};

// The job runs from now on: its configuration, and a file of events that is in progress. A later application master
// finds them there and changes nothing.
Status Begin(storage::Files& files, const Job& job, Instant now);
// The job has ended: all events, under the name that says how. Whoever does it again changes nothing. What Begin could
// not write is written now.
Status End(storage::Files& files, const Job& job);

}  // namespace howdah::storage::history
