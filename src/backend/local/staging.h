// Copies the files of a job at submission, so that later changes do not affect a queued job.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// Copies `source` to staging/source and the N-th file to staging/files/N, unpacks the python archive to python/, and
// creates the checkpoint and TensorBoard directories. on_staged: see SubmitOptions::on_staged.
Status Stage(const jobspec::JobSpec& spec, const JobFiles& files,
             const std::function<void(int64_t done, int64_t total)>& on_staged);

// Returns why this user cannot create the checkpoint or the TensorBoard directory, one text per directory. Returns none
// if Stage can create both. Directories of a cluster are not checked.
std::vector<std::string> UncreatableDirectories(const jobspec::JobSpec& spec);

}  // namespace howdah::backend::local
