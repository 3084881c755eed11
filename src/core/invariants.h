// Invariants of a job. Both functions abort if one is violated.
#pragma once

namespace howdah::core {

struct Units;

// After every step: the task that it changed last, and what is known by counts.
void CheckStep(Units& units);
// All of it, for tests and the simulator.
void CheckAll(Units& units);

}  // namespace howdah::core
