// The end of a job in its journal: whether it is there, and what to write if no application master has lived to.
#pragma once

#include <string>

#include "howdah/journal/job_view.h"

namespace howdah::journal {

// Whether the job is in its final state with this entry.
bool EndsJob(const core::JournalEntry& entry);

// The lines to append to the journal that `view` was folded from: every task that had not ended is STOPPED for
// task_reason, then the job ends as `end` says (its type is filled in).
std::string EndLines(const JobView& view, core::JobChanged end, const std::string& task_reason, Instant now);

}  // namespace howdah::journal
