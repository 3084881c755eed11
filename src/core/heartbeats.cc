#include "howdah/core/heartbeats.h"

#include <algorithm>

namespace howdah::core {
namespace {

// If the event may end a container, or an attempt in a container, returns that container. Otherwise returns nullptr.
const ContainerId* EndsWith(const Event& event) {
  if (const auto* exited = std::get_if<ContainerExited>(&event)) return &exited->container;
  if (const auto* rank = std::get_if<RankExited>(&event)) return &rank->container;
  if (const auto* failed = std::get_if<TaskStartFailed>(&event)) return &failed->container;
  if (const auto* ended = std::get_if<TaskEnded>(&event)) return &ended->container;
  return nullptr;
}

// Whether the event may end attempts in any container.
bool ConcernsAll(const Event& event) {
  return std::holds_alternative<Ticked>(event) || std::holds_alternative<StopRequested>(event) ||
         std::holds_alternative<FinishPrepared>(event);
}

}  // namespace

void Heartbeats::Record(const HeartbeatReceived& heartbeat, Instant at) {
  Newest& newest = newest_[heartbeat.container];
  newest.at = at;
  if (heartbeat.usage) newest.usage = heartbeat.usage;
}

std::vector<std::pair<Instant, HeartbeatReceived>> Heartbeats::TakeBefore(const Event& event) {
  std::vector<std::pair<Instant, HeartbeatReceived>> taken;
  if (const ContainerId* container = EndsWith(event)) {
    const auto heard = newest_.extract(*container);
    if (!heard.empty()) taken.push_back({heard.mapped().at, {heard.key(), heard.mapped().usage}});
  } else if (ConcernsAll(event)) {
    for (const auto& [id, newest] : newest_) taken.push_back({newest.at, {id, newest.usage}});
    newest_.clear();
  }
  std::stable_sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return taken;
}

}  // namespace howdah::core
