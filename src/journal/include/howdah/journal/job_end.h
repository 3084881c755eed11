// The end of a job in its journal: detecting it, and writing it for an application master that died.
#pragma once

#include <string>

#include "howdah/journal/job_view.h"

namespace howdah::journal {

// Whether the entry puts the job into its final state.
bool EndsJob(const core::JournalEntry& entry);

// The lines to append to the journal from which `view` was computed. They record every unfinished task as STOPPED with
// task_reason, and then the end of the job as `end` (its type is filled in).
std::string EndLines(const JobView& view, core::JobChanged end, const std::string& task_reason, Instant now);

}  // namespace howdah::journal
