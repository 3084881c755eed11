// What `howdah logs` is asked for, checked against the tasks there are. Pure.
#pragma once

#include <string>
#include <vector>

#include "syntax.h"
#include "howdah/backend/cluster.h"

namespace howdah::cli {

// "worker", "worker:1" and the other flags as a selection. kUsage for what names nothing of the job.
Result<backend::LogSelection> SelectLogs(const Arguments& arguments, const journal::JobView& view);

// Of what is there, what is selected: without an attempt, of each task the newest. kNotFound: the attempt is not there.
Result<std::vector<backend::LogSource>> ChooseSources(const std::vector<backend::LogSource>& all,
                                                      const backend::LogSelection& selection);

// Whether every task of the selection has ended (or the one attempt that is selected).
bool HaveEnded(const journal::JobView& view, const backend::LogSelection& selection);

}  // namespace howdah::cli
