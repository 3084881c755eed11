#include "gang.h"

#include <algorithm>

namespace howdah::core {
namespace {

constexpr Duration kAskAgainFirst = std::chrono::seconds(1);
constexpr Duration kAskAgainMost = std::chrono::minutes(1);
constexpr int kDoublings = 6;

}  // namespace

bool StartsTogether(jobspec::StartMode mode, bool needs_whole_cluster) {
  return mode == jobspec::StartMode::kGang || needs_whole_cluster;
}

Duration HoldLimit(Duration hold, Random& random) { return random.Jitter(hold); }

Patience PatienceFor(const jobspec::Timeouts& timeouts, bool preempted) {
  if (preempted) return {timeouts.queue, "timeouts.queue"};
  return {timeouts.gang, "timeouts.gang"};
}

Duration AskAgainIn(int round, Random& random) {
  const int doublings = std::clamp(round - 1, 0, kDoublings);
  return random.Jitter(std::min(kAskAgainFirst * (1 << doublings), kAskAgainMost));
}

std::vector<Awaits> AwaitedBy(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role) {
  std::vector<Awaits> awaits;
  for (size_t r = 0; r < spec.roles.size(); ++r) {
    const jobspec::RoleSpec& other = spec.roles[r];
    const bool sets_up = other.kind == jobspec::RoleKind::kSetup && role.kind != jobspec::RoleKind::kSetup;
    if (sets_up) awaits.push_back({static_cast<int>(r), true});
    for (const jobspec::After& after : role.after) {
      if (after.role == other.name && !sets_up) awaits.push_back({static_cast<int>(r), after.finished});
    }
  }
  return awaits;
}

std::vector<std::vector<int>> EndsAwaited(const jobspec::JobSpec& spec) {
  std::vector<std::vector<int>> ends(spec.roles.size());
  // Roles wait for each other in no circle: after as many rounds as there are roles nothing is added any more.
  for (bool added = true; added;) {
    added = false;
    for (size_t r = 0; r < spec.roles.size(); ++r) {
      const auto add = [&](int end) {
        if (std::find(ends[r].begin(), ends[r].end(), end) != ends[r].end()) return;
        ends[r].push_back(end);
        added = true;
      };
      for (const Awaits& awaits : AwaitedBy(spec, spec.roles[r])) {
        if (awaits.finished) add(awaits.role);
        for (const int end : std::vector<int>(ends[static_cast<size_t>(awaits.role)])) add(end);
      }
    }
  }
  return ends;
}

bool Holds(const Awaited& awaited) {
  const Progress& p = awaited.progress;
  return (awaited.finished ? p.done : p.started) == p.tasks;
}

}  // namespace howdah::core
