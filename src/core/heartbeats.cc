#include "howdah/core/heartbeats.h"

#include <algorithm>

namespace howdah::core {

std::vector<std::pair<Instant, ContainerId>> Heartbeats::TakeBefore(const Event& event) {
  std::vector<std::pair<Instant, ContainerId>> taken;
  if (const auto* exited = std::get_if<ContainerExited>(&event)) {
    const auto heard = newest_.extract(exited->container);
    if (!heard.empty()) taken.emplace_back(heard.mapped(), heard.key());
  } else if (std::holds_alternative<Ticked>(event)) {
    for (const auto& [container, at] : newest_) taken.emplace_back(at, container);
    newest_.clear();
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

}  // namespace howdah::core
