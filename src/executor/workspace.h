// The working directory of a task.
#pragma once

#include "howdah/base/result.h"
#include "howdah/executor/task.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::executor {

// Whether the job brings files, so that filling the working directory may take long.
bool HasFiles(const jobspec::JobSpec& spec);

// Makes the working directory and fills it from staging: `source`, then `files` in their order.
Status FillWorkspace(const TaskOptions& options, const jobspec::JobSpec& spec);

}  // namespace howdah::executor
