// The job file that a backend keeps with a job.
#pragma once

#include <string_view>

#include "howdah/backend/cluster.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::portal {

inline constexpr std::string_view kHiddenValue = "•••";

// reveal: false replaces the values of secrets by kHiddenValue. Blocks.
Result<jobspec::JobSpec> ReadStoredJob(backend::Cluster& cluster, const JobId& id, bool reveal);

}  // namespace howdah::portal
