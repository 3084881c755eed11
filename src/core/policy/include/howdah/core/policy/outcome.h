// Decides whether the job has ended, and with which outcome.
#pragma once

#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::core::policy {

struct RoleResult {
  jobspec::RoleKind kind = jobspec::RoleKind::kWorker;
  jobspec::OnFailure on_failure = jobspec::OnFailure::kFail;
  bool chief = false;
  bool decided = false;  // this role contains the task that decides the job's outcome, and that task has succeeded
  int tasks = 0;
  int done = 0;  // tasks that have ended and will not be restarted
  int succeeded = 0;
  int failed = 0;
};

enum class JobOutcome {
  kUndecided,
  kSucceeded,
  kAllToleratedFailed,
};

// Finds every outcome except one: a failure that fails the job at once is found by restart.h.
JobOutcome Judge(const std::vector<RoleResult>& roles);

}  // namespace howdah::core::policy
