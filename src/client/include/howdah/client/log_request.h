// Which output of a job a person asks for, checked against the job's tasks. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"

namespace howdah::client {

struct LogRequest {
  std::string task;            // ROLE or ROLE:INDEX; empty: every task
  std::optional<int> attempt;  // none: the newest, or every attempt while following
  bool only_stdout = false, only_stderr = false;
};

// kUsage: the job has no such role or task.
Result<backend::LogSelection> SelectLogs(const LogRequest& request, const journal::JobView& view);

// The selected sources among the existing ones; without an attempt, each task's newest. kNotFound: no such attempt.
Result<std::vector<backend::LogSource>> ChooseSources(const std::vector<backend::LogSource>& all,
                                                      const backend::LogSelection& selection);

// Whether every selected task, or the selected attempt, has ended.
bool HaveEnded(const journal::JobView& view, const backend::LogSelection& selection);

}  // namespace howdah::client
