// Decides whether the job has ended, and with which outcome.
#pragma once

#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::core::policy {

struct RoleResult {
  jobspec::RoleKind kind = jobspec::RoleKind::kWorker;
  jobspec::OnFailure on_failure = jobspec::OnFailure::kFail;
  bool chief = false;
  bool decided = false;  // the task that decides the outcome of the job is in this role and has succeeded
  int tasks = 0;
  int done = 0;  // ended, and will not be restarted
  int succeeded = 0;
  int failed = 0;
};

enum class JobOutcome {
  kUndecided,
  kSucceeded,
  kAllToleratedFailed,
};

// Covers every outcome except a failure that fails the job at once, which restart.h decides.
JobOutcome Judge(const std::vector<RoleResult>& roles);

}  // namespace howdah::core::policy
