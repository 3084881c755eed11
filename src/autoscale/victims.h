// Chooses the nodes that leave.
#pragma once

#include <string>
#include <vector>

#include "howdah/autoscale/facts.h"
#include "howdah/autoscale/policy.h"

namespace howdah::autoscale {

struct Candidate {
  std::string id;
  Group group = Group::kPrimary;
  const NodeReport* node = nullptr;
};

// Returns the ids of at most `count` candidates: first empty nodes, then those with the least work, those with an AM
// last. The groups lose nodes by their weights, and none below its minimum. sizes: the present ones.
std::vector<std::string> ChooseVictims(const Policy& policy, const Sizes& sizes, std::vector<Candidate> candidates,
                                       int count);

}  // namespace howdah::autoscale
