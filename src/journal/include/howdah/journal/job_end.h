// The end of a job in its journal: how to recognise it, and how to write it for an application master that died.
#pragma once

#include <string>

#include "howdah/journal/job_view.h"

namespace howdah::journal {

// Whether the entry puts the job into its final state.
bool EndsJob(const core::JournalEntry& entry);

// Returns the lines to append to the journal from which `view` was computed. They record every unfinished task as
// STOPPED with task_reason, and then the end of the job as `end`. This function sets the type of `end`.
std::string EndLines(const JobView& view, core::JobChanged end, const std::string& task_reason, Instant now);

}  // namespace howdah::journal
