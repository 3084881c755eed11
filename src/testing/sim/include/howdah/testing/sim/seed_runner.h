// The command line of a simulator: runs many seeds, and reports the first one that breaks a rule.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/testing/sim/violation.h"

namespace howdah::testing::sim {

// The result of one run of a seed.
struct SeedRun {
  std::string scenario;
  std::optional<Violation> violation;
  uint64_t digest = 0;
  std::vector<bool> reached;  // by situation
  uint64_t jobs = 0, events = 0;
};

// The sums over the seeds without a violation. Each seed is run twice.
struct RunTotals {
  uint64_t seeds = 0, jobs = 0, events = 0;
  std::vector<uint64_t> reached;  // by situation: the number of seeds
};

struct Simulator {
  std::string program;     // its name
  std::string subject;     // what aborts if its own invariants are broken
  std::string seeds_file;  // an example of --seeds-file
  std::vector<std::string_view> situations;
  std::function<SeedRun(uint64_t seed, const TraceSink& trace)> run;
  // Returns the last line of the output, without its newline.
  std::function<std::string(const RunTotals& totals, double seconds)> summary;
};

// Runs the seeds that the arguments name. Returns the exit code: 0, 1 if a seed breaks a rule or a situation is never
// reached, or 2 if the arguments are invalid. Call this once, from main().
int RunSeeds(const Simulator& simulator, int argc, char** argv);

}  // namespace howdah::testing::sim
