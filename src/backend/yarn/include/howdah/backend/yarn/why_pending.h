// Why a job has not got its containers yet: one sentence from the ResourceManager's own numbers. Pure.
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
  hadoop::yarn::Resource size;  // of each; zero: not known
  std::string label;
  friend bool operator==(const PendingContainers&, const PendingContainers&) = default;
};

// headroom: what the scheduler could still grant to this application within all limits (AllocateResponse.limit); none:
// not reported.
std::string WhyPending(const ClusterFacts& facts, const std::vector<PendingContainers>& pending,
                       const std::optional<hadoop::yarn::Resource>& headroom);

// For an application without an AM container. diagnostics: of its report; am: what the AM requests.
std::string WhyAmPending(const ClusterFacts& facts, const std::string& diagnostics, const PendingContainers& am);

}  // namespace howdah::backend::yarn
