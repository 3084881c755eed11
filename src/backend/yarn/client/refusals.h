// What of a job a cluster can never give. Pure.
#pragma once

#include <string>
#include <vector>

#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::client {

// Sentences with numbers and names; empty: nothing stands in the way for ever. A node that is lost or unhealthy may
// come back, so it counts as it was.
std::vector<std::string> RefusalsOf(const jobspec::JobSpec& spec, const ClusterFacts& facts);

// The same of what one container may have at most, as the ResourceManager says it with a new application's id.
std::vector<std::string> OversizedContainers(const jobspec::JobSpec& spec, const hadoop::yarn::Resource& most);

}  // namespace howdah::backend::yarn::client
