// What a job brings along, copied at submission: later changes of the submitter's files do not reach a job that waits.
#pragma once

#include <functional>
#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// Fills staging/ (`source`, and `files/N` for the N-th file, each as it is) and python/ (unpacked), and creates the
// checkpoint and TensorBoard directories. on_staged: as SubmitOptions::on_staged.
Status Stage(const jobspec::JobSpec& spec, const JobFiles& files,
             const std::function<void(int64_t done, int64_t total)>& on_staged);

}  // namespace howdah::backend::local
