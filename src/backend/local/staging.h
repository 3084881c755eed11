// Copies the files of a job at submission, so that later changes do not affect a queued job.
#pragma once

#include <functional>
#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// Copies `source` and, as `files/N`, the N-th file to staging/, unpacks the python archive to python/, and creates the
// checkpoint and TensorBoard directories. on_staged: as SubmitOptions::on_staged.
Status Stage(const jobspec::JobSpec& spec, const JobFiles& files,
             const std::function<void(int64_t done, int64_t total)>& on_staged);

}  // namespace howdah::backend::local
