// A user's request for output of a job, and its check against the job's tasks and sources of output.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"

namespace howdah::client {

struct LogRequest {
  std::string task;            // ROLE or ROLE:INDEX; empty for every task
  std::optional<int> attempt;  // nullopt for the newest, or for every attempt while following
  bool only_stdout = false, only_stderr = false;
};

// Returns kUsage if the job has no such role or task, and no output of it. sources: returns the sources of the job.
// Called only for a task that the job does not have now, such as a task of a role that has become smaller.
Result<backend::LogSelection> SelectLogs(const LogRequest& request, const journal::JobView& view,
                                         const std::function<std::vector<backend::LogSource>()>& sources);

// Selects from the existing sources: without an attempt in the selection, those of each task's newest attempt. Returns
// kNotFound if the selected attempt has no output.
Result<std::vector<backend::LogSource>> ChooseSources(const std::vector<backend::LogSource>& all,
                                                      const backend::LogSelection& selection);

// Whether every selected task, or the selected attempt, has ended.
bool HaveEnded(const journal::JobView& view, const backend::LogSelection& selection);

}  // namespace howdah::client
