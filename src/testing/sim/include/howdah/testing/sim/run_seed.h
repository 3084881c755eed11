// One simulation from one seed: a workload, a fault profile, a backend, and one or two jobs. Faults occur only during a
// first phase. In the second phase every job has to end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "howdah/testing/sim/coverage.h"
#include "howdah/testing/sim/violation.h"

namespace howdah::testing::sim {

struct SeedResult {
  std::string scenario;  // for example "ranked ddp, chaos, 2 jobs"
  std::optional<Violation> violation;
  uint64_t digest = 0;
  Coverage coverage;
  int jobs = 0;
  int steps = 0;  // number of events that the cores received
};

SeedResult RunSeed(uint64_t seed, const TraceSink& trace = nullptr);

}  // namespace howdah::testing::sim
