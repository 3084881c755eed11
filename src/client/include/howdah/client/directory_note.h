// Notes for users about the directories to which a job writes.
#pragma once

#include <string>
#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::client {

// Returns a note for each of checkpoint.dir and tensorboard.logdir that is a directory of this machine to which this
// user cannot write. Such a job is not refused, because it may only read there.
std::vector<std::string> UnwritableDirectories(const jobspec::JobSpec& spec);

// Returns a note for each of these directories that does not exist on this machine, and is created at submission.
std::vector<std::string> MissingDirectories(const jobspec::JobSpec& spec);

}  // namespace howdah::client
