// The end of a job whose application master did not live to write it.
#pragma once

#include <string>
#include <vector>

#include "howdah/history/job_view.h"

namespace howdah::history {

// What to append to the journal that `view` was folded from: every task that had not ended is STOPPED for task_reason,
// then the job ends as `end` says (its type is filled in).
std::vector<core::JournalEntry> EndEntries(const JobView& view, core::JobChanged end, const std::string& task_reason,
                                           Instant now);

}  // namespace howdah::history
