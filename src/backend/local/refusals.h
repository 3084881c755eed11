// What of a job the local place cannot give. Pure.
#pragma once

#include <string>
#include <vector>

#include "capacity.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// In sentences with numbers; empty: it can give all of it at one time. One task must fit, and what has to start
// together.
std::vector<std::string> RefusalsOf(const jobspec::JobSpec& spec, const Capacity& capacity);

// What the job file has that only a cluster knows.
std::vector<std::string> IgnoredOf(const jobspec::JobSpec& spec);

}  // namespace howdah::backend::local
