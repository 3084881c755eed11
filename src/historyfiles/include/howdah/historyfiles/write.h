// A job's history written as TonY's application master writes it.
#pragma once

#include <string>
#include <vector>

#include "howdah/backend/files.h"
#include "howdah/base/result.h"
#include "howdah/core/change.h"
#include "howdah/spec/job_spec.h"
#include "howdah/tonyhistory/job.h"

namespace howdah::historyfiles {

// A job whose file says where its history goes (spec.tony_history).
struct Job {
  const spec::JobSpec& spec;
  std::vector<core::JournalEntry> journal;  // as far as it goes; at least its first line
  tonyhistory::AmPlace am;                  // where the application master runs or ran
};

// The job runs from now on: its configuration, and a file of events that is in progress. A later application master
// finds them there and changes nothing.
Status Begin(backend::Files& files, const Job& job, Instant now);
// The job has ended: all events, under the name that says how. Whoever does it again changes nothing. What Begin could
// not write is written now.
Status End(backend::Files& files, const Job& job);

}  // namespace howdah::historyfiles
