// One simulation of the autoscaler from one seed: a ResourceManager with jobs, a provider of machines, and the process
// that gives the orders. Faults occur only during a first phase. In the second phase every gang that fits has to start,
// and the cluster has to become small again.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/testing/sim/violation.h"

namespace howdah::testing::autoscale_sim {

// The situations that the simulation must reach.
enum class Situation {
  kGangMode,
  kDataprocMode,
  kPlainFile,
  kXmlFile,
  kGrew,
  kShrank,
  kDrainedUnderTasks,
  kDrainCancelled,
  kForeignApplication,
  kDrainTimedOut,
  kOrderFailed,
  kOrderTimedOut,
  kQuota,
  kFatal,
  kNeverJoined,
  kMachineVanished,
  kMoreThanOrdered,
  kListFailed,
  kListStale,
  kRmRestarted,
  kExcludeFailed,
  kKilledBeforeStore,
  kKilledBeforeOrders,
  kKilledAmongOrders,
  kDownForLong,
  kTooLarge,
  kOtherGroupUsed,
  kLabel,
  kCount,
};

using Coverage = std::bitset<static_cast<size_t>(Situation::kCount)>;

std::string_view ToText(Situation situation);

using sim::TraceSink;
using sim::Violation;

struct SeedResult {
  std::string scenario;  // for example "gangs, 2 to 10 nodes, plain file, a provider without quota"
  std::optional<Violation> violation;
  uint64_t digest = 0;
  Coverage coverage;
  int jobs = 0;   // that have ended
  int steps = 0;  // of the autoscaler
};

SeedResult RunSeed(uint64_t seed, const TraceSink& trace = nullptr);

}  // namespace howdah::testing::autoscale_sim
