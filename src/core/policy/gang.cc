#include "howdah/core/policy/gang.h"

#include <algorithm>

namespace howdah::core::policy {
namespace {

constexpr Duration kFirstPause = std::chrono::seconds(1);
constexpr Duration kLongestPause = std::chrono::minutes(1);
constexpr int kDoublings = 6;

using Until = Dependency::Until;

Until UntilOf(const jobspec::After& after) {
  return after.finished ? Until::kFinished : after.ready ? Until::kServing : Until::kStarted;
}

}  // namespace

bool StartsTogether(jobspec::StartMode mode, bool needs_whole_cluster) {
  return mode == jobspec::StartMode::kGang || needs_whole_cluster;
}

Duration HoldLimit(Duration hold, Random& random) { return random.Jitter(hold); }

WaitLimit WaitLimitFor(const jobspec::Timeouts& timeouts, bool preempted) {
  if (preempted) return {timeouts.queue, "timeouts.queue"};
  return {timeouts.gang, "timeouts.gang"};
}

Duration RequestAgainIn(int round, Random& random) {
  const int doublings = std::clamp(round - 1, 0, kDoublings);
  return random.Jitter(std::min(kFirstPause * (1 << doublings), kLongestPause));
}

std::vector<Dependency> DependenciesOf(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role) {
  std::vector<Dependency> dependencies;
  for (size_t r = 0; r < spec.roles.size(); ++r) {
    const jobspec::RoleSpec& other = spec.roles[r];
    const bool sets_up = other.kind == jobspec::RoleKind::kSetup && role.kind != jobspec::RoleKind::kSetup;
    if (sets_up) dependencies.push_back({static_cast<int>(r), Until::kFinished});
    for (const jobspec::After& after : role.after) {
      if (after.role == other.name && !sets_up) dependencies.push_back({static_cast<int>(r), UntilOf(after)});
    }
  }
  return dependencies;
}

std::vector<std::vector<int>> FinishDependencies(const jobspec::JobSpec& spec) {
  std::vector<std::vector<int>> first(spec.roles.size());
  // The dependencies have no cycle, so the loop ends after at most one round per role.
  for (bool added = true; added;) {
    added = false;
    for (size_t r = 0; r < spec.roles.size(); ++r) {
      const auto add = [&](int role) {
        if (std::find(first[r].begin(), first[r].end(), role) != first[r].end()) return;
        first[r].push_back(role);
        added = true;
      };
      for (const Dependency& dependency : DependenciesOf(spec, spec.roles[r])) {
        if (dependency.until == Until::kFinished) add(dependency.role);
        for (const int role : std::vector<int>(first[static_cast<size_t>(dependency.role)])) add(role);
      }
    }
  }
  return first;
}

std::vector<int> FirstGang(const jobspec::JobSpec& spec) {
  std::vector<int> gang;
  if (spec.start != jobspec::StartMode::kGang) return gang;
  const std::vector<std::vector<int>> finish_first = FinishDependencies(spec);
  for (size_t r = 0; r < spec.roles.size(); ++r) {
    if (finish_first[r].empty() && spec.roles[r].instances.min > 0) gang.push_back(static_cast<int>(r));
  }
  return gang;
}

bool IsSatisfied(const RoleProgress& progress, Until until) {
  const int reached = until == Until::kFinished  ? progress.done
                      : until == Until::kServing ? progress.serving
                                                 : progress.started;
  return reached == progress.tasks;
}

}  // namespace howdah::core::policy
