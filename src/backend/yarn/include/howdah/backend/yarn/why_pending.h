// Explains in one sentence why a job does not have its containers yet, from the ResourceManager's own numbers. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/yarn/cluster_facts.h"

namespace howdah::backend::yarn {

// Containers that have been requested and not granted.
struct PendingContainers {
  std::string role;
  int count = 0;
  hadoop::yarn::Resource size;  // of each container; zero if unknown
  std::string label;
  friend bool operator==(const PendingContainers&, const PendingContainers&) = default;
};

// headroom: the resources that the scheduler could still grant to this application within all limits
// (AllocateResponse.limit); nullopt if not reported.
std::string WhyPending(const ClusterFacts& facts, const std::vector<PendingContainers>& pending,
                       const std::optional<hadoop::yarn::Resource>& headroom);

// The same for an application that has no AM container yet. diagnostics: from the application's report. am: the
// container that the AM requests.
std::string WhyAmPending(const ClusterFacts& facts, const std::string& diagnostics, const PendingContainers& am);

}  // namespace howdah::backend::yarn
