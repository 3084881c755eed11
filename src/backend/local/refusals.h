// Finds requests of a job that this machine can never satisfy, and keys that only the YARN backend supports. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capacity.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// Returns one sentence with numbers for each task or gang that is too large for this machine.
std::vector<std::string> RefusalsOf(const jobspec::JobSpec& spec, const Capacity& capacity);

// Returns the refusal of every job if the hard limit of open files is too low for an AM, or "".
std::string RefusalOfOpenFiles(uint64_t hard_limit);

// Returns the keys of the job file that have no effect on this machine.
std::vector<std::string> IgnoredOf(const jobspec::JobSpec& spec);

}  // namespace howdah::backend::local
