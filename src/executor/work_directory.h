// Fills the working directory of a task.
#pragma once

#include "howdah/base/result.h"
#include "howdah/executor/task.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::executor {

// Whether the job brings files. If it does, filling the working directory may take long.
bool HasFiles(const jobspec::JobSpec& spec);

// Creates the working directory and fills it from the staging directory (TaskOptions::staging_dir). If an attempt has
// already begun in this directory, its files stay as they are.
Status FillWorkDirectory(const TaskOptions& options, const jobspec::JobSpec& spec);

}  // namespace howdah::executor
