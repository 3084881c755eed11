// The output of a job that a user requests, checked against the job's tasks. Pure.
#pragma once

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

// Returns kUsage if the job has no such role or task.
Result<backend::LogSelection> SelectLogs(const LogRequest& request, const journal::JobView& view);

// Selects from the existing sources. Without an attempt, selects each task's newest. Returns kNotFound if there is no
// such attempt.
Result<std::vector<backend::LogSource>> ChooseSources(const std::vector<backend::LogSource>& all,
                                                      const backend::LogSelection& selection);

// Whether every selected task, or the selected attempt, has ended.
bool HaveEnded(const journal::JobView& view, const backend::LogSelection& selection);

}  // namespace howdah::client
