// The nodes that the ResourceManager reports, by host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "howdah/autoscale/facts.h"

namespace howdah::autoscale {

// A host can have reports of earlier NodeManagers, with other ports: the report of the one that runs counts. The
// pointers are into `nodes`.
inline std::map<std::string, const NodeReport*> NodesByHost(const std::vector<NodeReport>& nodes) {
  std::map<std::string, const NodeReport*> by_host;
  for (const NodeReport& node : nodes) {
    const auto [known, is_new] = by_host.try_emplace(node.host, &node);
    if (!is_new && node.state < known->second->state) known->second = &node;
  }
  return by_host;
}

}  // namespace howdah::autoscale
