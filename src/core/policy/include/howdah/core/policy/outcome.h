// Whether the job is done, and how.
#pragma once

#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::core::policy {

struct RoleResult {
  jobspec::RoleKind kind = jobspec::RoleKind::kWorker;
  jobspec::OnFailure on_failure = jobspec::OnFailure::kFail;
  bool chief = false;
  bool decided = false;  // its task that decides for the job has succeeded
  int tasks = 0;
  int done = 0;  // ended, and not to be restarted
  int succeeded = 0;
  int failed = 0;
};

enum class JobOutcome {
  kUndecided,
  kSucceeded,
  kAllToleratedFailed,
};

// Failures that fail the job do so at once (restart.h); this covers everything else.
JobOutcome Judge(const std::vector<RoleResult>& roles);

}  // namespace howdah::core::policy
