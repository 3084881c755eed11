// Policy: is the job done, and how.
#pragma once

#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// How far one role has come.
struct RoleStanding {
  jobspec::RoleKind kind = jobspec::RoleKind::kWorker;
  jobspec::OnFailure on_failure = jobspec::OnFailure::kFail;
  bool chief = false;
  bool decided = false;  // a task of it whose success ends the job has succeeded
  int tasks = 0;
  int done = 0;  // ended and not to be started again
  int succeeded = 0;
  int failed = 0;
};

enum class Outcome {
  kGoesOn,
  kSucceeded,
  kAllToleratedFailed,
};

// Failures that count end a job at once (restart.h); this is about everything else.
Outcome Judge(const std::vector<RoleStanding>& roles);

}  // namespace howdah::core
