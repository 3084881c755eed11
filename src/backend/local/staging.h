// What a job brings along, copied at submission: later changes of the submitter's files do not reach a job that waits.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/local/layout.h"
#include "howdah/spec/job_spec.h"

namespace howdah::local {

// Fills staging/ (`source`, and `files/N` for the N-th file, each as it is) and python/ (unpacked), and creates the checkpoint
// and TensorBoard directories.
Status Stage(const spec::JobSpec& spec, const JobFiles& files);

}  // namespace howdah::local
