// Requests of a job that this machine can never satisfy, and keys that only a cluster supports. Pure.
#pragma once

#include <string>
#include <vector>

#include "capacity.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// One sentence with numbers for each task or gang that does not fit; empty: all fit.
std::vector<std::string> RefusalsOf(const jobspec::JobSpec& spec, const Capacity& capacity);

// Keys of the job file that have no effect on this machine.
std::vector<std::string> IgnoredOf(const jobspec::JobSpec& spec);

}  // namespace howdah::backend::local
