// Explains in one sentence why a job does not have its containers yet, from the ResourceManager's own numbers. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/yarn/cluster_facts.h"

namespace howdah::backend::yarn {

// Containers that the job has requested and not received.
struct PendingContainers {
  std::string role;
  int count = 0;
  hadoop::yarn::Resource size;  // size of each container; zero if unknown
  std::string label;
  friend bool operator==(const PendingContainers&, const PendingContainers&) = default;
};

// Explains why the requested containers have not been granted. headroom: the resources that the scheduler could still
// grant to this application within all limits (AllocateResponse.limit); nullopt if not reported.
std::string WhyPending(const ClusterFacts& facts, const std::vector<PendingContainers>& pending,
                       const std::optional<hadoop::yarn::Resource>& headroom);

// The nodes that a role's own conditions leave for its pending containers.
struct AllowedNodes {
  std::string role;
  std::vector<std::string> conditions;  // keys of the job file, such as "roles.ps.max_per_node"
  int allowed = 0;                      // may get a container now, because of the containers that the job holds
  int suitable = 0;                     // without the conditions
};
// Lists the roles whose conditions exclude nodes at present. Empty if there are none.
std::string DescribePlacement(const std::vector<AllowedNodes>& roles);

// Explains why an application has no AM container yet. diagnostics: from the application's report. am: the container
// that the AM needs.
std::string WhyAmPending(const ClusterFacts& facts, const std::string& diagnostics, const PendingContainers& am);

}  // namespace howdah::backend::yarn
