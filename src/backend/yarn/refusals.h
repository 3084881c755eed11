// What of a job a cluster can never give. Pure.
#pragma once

#include <string>
#include <vector>

#include "cluster_facts.h"
#include "howdah/spec/job_spec.h"

namespace howdah::yarnplace {

// Sentences with numbers and names; empty: nothing stands in the way for ever. A node that is lost or unhealthy may
// come back, so it counts as it was.
std::vector<std::string> WhyRefused(const spec::JobSpec& spec, const ClusterFacts& facts);

// The same of what one container may have at most, as the ResourceManager says it with a new application's id.
std::vector<std::string> WhyTooLarge(const spec::JobSpec& spec, const yarn::Resource& most);

}  // namespace howdah::yarnplace
