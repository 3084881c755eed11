#include "victims.h"

#include <algorithm>
#include <tuple>

namespace howdah::autoscale {

std::vector<std::string> ChooseVictims(const Policy& policy, const Sizes& sizes, std::vector<Candidate> candidates,
                                       int count) {
  std::ranges::sort(candidates, {}, [](const Candidate& some) {
    const NodeReport& node = *some.node;
    return std::tuple(node.has_am, node.containers > 0, node.work, node.containers, node.host);
  });
  Sizes left = sizes;
  std::vector<std::string> victims;
  while (static_cast<int>(victims.size()) < count && !candidates.empty()) {
    const Sizes target = Divide(policy, left.total() - 1);
    // The group that is above its share; the other one if that has no candidates.
    const auto may_lose = [&](const Candidate& some) { return left.of(some.group) > policy.of(some.group).min; };
    auto chosen = std::ranges::find_if(candidates, [&](const Candidate& some) {
      return may_lose(some) && left.of(some.group) > target.of(some.group);
    });
    if (chosen == candidates.end()) chosen = std::ranges::find_if(candidates, may_lose);
    if (chosen == candidates.end()) break;
    --left.of(chosen->group);
    victims.push_back(chosen->id);
    candidates.erase(chosen);
  }
  return victims;
}

}  // namespace howdah::autoscale
