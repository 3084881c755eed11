#include "past_containers.h"

#include <variant>

namespace howdah::am {

void PastContainers::Replay(const core::Event& event, const std::vector<core::Action>& actions) {
  if (const auto* granted = std::get_if<core::ContainerGranted>(&event)) {
    held_[granted->container] = {granted->container, granted->role, granted->node, std::nullopt};
  } else if (const auto* exited = std::get_if<core::ContainerExited>(&event)) {
    held_.erase(exited->container);
  } else if (const auto* registered = std::get_if<core::ExecutorRegistered>(&event)) {
    callbacks_[registered->container] = registered->callback;
  } else if (const auto* announced = std::get_if<core::ReclaimAnnounced>(&event)) {
    const auto held = held_.find(announced->container);
    if (held != held_.end() && !announced->preempted) held->second.node_leaves = true;
  }
  for (const core::Action& action : actions) {
    if (const auto* launch = std::get_if<core::LaunchExecutor>(&action))
      held_.at(launch->container).task = launch->task;
  }
}

std::string PastContainers::CallbackOf(const ContainerId& container) const {
  const auto found = callbacks_.find(container);
  return found == callbacks_.end() ? "" : found->second;
}

}  // namespace howdah::am
