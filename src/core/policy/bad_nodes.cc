#include "howdah/core/policy/bad_nodes.h"

#include <algorithm>

namespace howdah::core::policy {
namespace {

constexpr size_t kFailures = 3;
constexpr Duration kWithin = std::chrono::minutes(10);
constexpr Duration kAvoidedFor = std::chrono::minutes(10);
// Faulty hardware does not repair itself: a GPU needs a reset, a disk a replacement.
constexpr Duration kFaultyFor = std::chrono::hours(24);

}  // namespace

std::optional<Instant> AvoidedUntil(std::string_view reason, Instant at) {
  const size_t words = reason.find(kIsAvoided);
  if (words == std::string_view::npos) return std::nullopt;
  const std::string_view rest = reason.substr(words + kIsAvoided.size());
  const std::string_view time = rest.substr(0, rest.find(':'));
  if (time == FormatDuration(kAvoidedFor)) return at + kAvoidedFor;
  if (time == DurationToText(kFaultyFor)) return at + kFaultyFor;
  return std::nullopt;
}

std::string BadNodes::Failed(const std::string& node, Instant now) {
  failures_[node].push_back(now);
  size_t elsewhere = 0;
  for (auto& [name, times] : failures_) {
    while (!times.empty() && now - times.front() > kWithin) times.pop_front();
    if (name != node) elsewhere = std::max(elsewhere, times.size());
  }
  const std::deque<Instant>& here = failures_[node];
  if (here.size() < kFailures || 2 * elsewhere > here.size() || Avoided(node, now)) return "";
  if (2 * (Avoided(now).size() + 1) > seen_.size()) return "";
  avoided_until_[node] = now + kAvoidedFor;
  return node + std::string(kIsAvoided) + FormatDuration(kAvoidedFor) + ": " + std::to_string(here.size()) +
         " attempts failed there within " + FormatDuration(now - here.front()) + ", at most " +
         std::to_string(elsewhere) + " on any other node";
}

std::string BadNodes::Faulty(const std::string& node, Instant now) {
  if (Avoided(node, now) || 2 * (Avoided(now).size() + 1) > std::max<size_t>(seen_.size(), 2)) return "";
  avoided_until_[node] = now + kFaultyFor;
  return node + std::string(kIsAvoided) + DurationToText(kFaultyFor) + ": a failure there was the node's fault";
}

bool BadNodes::Avoided(const std::string& node, Instant now) const {
  const auto it = avoided_until_.find(node);
  return it != avoided_until_.end() && now < it->second;
}

std::vector<std::pair<std::string, Duration>> BadNodes::Avoided(Instant now) const {
  std::vector<std::pair<std::string, Duration>> nodes;
  for (const auto& [node, until] : avoided_until_) {
    if (now < until) nodes.emplace_back(node, until - now);
  }
  return nodes;
}

}  // namespace howdah::core::policy
