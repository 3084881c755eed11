// Advice in the outputs of `run` and `status`. Pure.
#pragma once

#include <string>
#include <vector>

#include "howdah/advice/advice.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli::output {

// Returns the lines that follow the job's own advice (JobView::advice), so that there are at most two lines of advice
// in total. Findings that the job's own advice already contains are left out. The last line names the command that
// shows the rest.
std::vector<std::string> AdviceLines(const journal::JobView& view, const std::vector<advice::Finding>& findings);

}  // namespace howdah::cli::output
