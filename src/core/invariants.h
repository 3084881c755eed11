// Checks the invariants of a job. Both functions abort the process if an invariant is violated.
#pragma once

namespace howdah::core {

struct Units;

// Runs after every Step. Checks the counts, and the task that changed last.
void CheckStep(Units& units);
// Checks everything, for tests and the simulator.
void CheckAll(Units& units);

}  // namespace howdah::core
