// What a job waits for, in one sentence out of the ResourceManager's own numbers. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/yarn/cluster_facts.h"

namespace howdah::backend::yarn {

// Containers that have been asked for and not been granted.
struct PendingContainers {
  std::string who;  // "worker"
  int count = 0;
  hadoop::yarn::Resource shape;  // nothing at all: not known
  std::string label;
  friend bool operator==(const PendingContainers&, const PendingContainers&) = default;
};

// headroom: what the scheduler says it could still give to this application, with all limits taken into account
// (AllocateResponse.limit); none: not known.
std::string WhyPending(const ClusterFacts& facts, const std::vector<PendingContainers>& wants,
                       const std::optional<hadoop::yarn::Resource>& headroom);

// The same of an application whose AM has no container. diagnostics: of its report; am: what the AM asks for.
std::string WhyAmPending(const ClusterFacts& facts, const std::string& diagnostics, const PendingContainers& am);

}  // namespace howdah::backend::yarn
