// The end of a job in its journal: detecting it, and writing it for an application master that died.
#pragma once

#include <string>

#include "howdah/journal/job_view.h"

namespace howdah::journal {

// Whether the entry puts the job into its final state.
bool EndsJob(const core::JournalEntry& entry);

// The lines to append to the journal that `view` was folded from: every unfinished task is STOPPED with task_reason,
// then the job ends with `end` (its type is filled in).
std::string EndLines(const JobView& view, core::JobChanged end, const std::string& task_reason, Instant now);

}  // namespace howdah::journal
