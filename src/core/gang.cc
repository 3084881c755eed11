#include "gang.h"

#include <algorithm>

namespace howdah::core {
namespace {

constexpr Duration kAskAgainFirst = std::chrono::seconds(1);
constexpr Duration kAskAgainMost = std::chrono::minutes(1);
constexpr int kDoublings = 6;

}  // namespace

bool StartsTogether(spec::StartMode mode, bool needs_whole_cluster) {
  return mode == spec::StartMode::kGang || needs_whole_cluster;
}

Duration HoldLimit(Duration hold, Random& random) { return random.Jitter(hold); }

Duration AskAgainIn(int round, Random& random) {
  const int doublings = std::clamp(round - 1, 0, kDoublings);
  return random.Jitter(std::min(kAskAgainFirst * (1 << doublings), kAskAgainMost));
}

bool Holds(const Awaited& awaited) {
  const Progress& p = awaited.progress;
  return (awaited.finished ? p.done : p.started) == p.tasks;
}

}  // namespace howdah::core
