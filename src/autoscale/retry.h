// The pauses of the autoscaler after failures.
#pragma once

#include <algorithm>
#include <chrono>

#include "howdah/base/time.h"

namespace howdah::autoscale {

// The time after its limit by which the end of a command is known.
inline constexpr Duration kCommandMargin = std::chrono::seconds(30);

inline Duration Doubled(Duration first, int failures, Duration longest) {
  constexpr int kMostDoublings = 16;
  return std::min(first * (1 << std::min(failures, kMostDoublings)), longest);
}

// The pause before an order is repeated. failures: earlier ones.
inline Duration RetryPause(int failures) { return Doubled(std::chrono::seconds(5), failures, std::chrono::minutes(5)); }

// The time for which a group that has no quota or no machines is not used.
inline Duration BackOffPause(int failures) {
  return Doubled(std::chrono::seconds(30), failures, std::chrono::minutes(10));
}

}  // namespace howdah::autoscale
