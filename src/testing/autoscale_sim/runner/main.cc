// howdah-autoscale-sim: runs the autoscaler through many simulations, each from a seed, and reports each seed that
// broke a rule.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "howdah/testing/autoscale_sim/run_seed.h"
#include "howdah/testing/sim/seed_runner.h"

namespace {

using howdah::testing::autoscale_sim::RunSeed;
using howdah::testing::autoscale_sim::SeedResult;
using howdah::testing::autoscale_sim::Situation;
using howdah::testing::sim::RunTotals;
using howdah::testing::sim::SeedRun;
using howdah::testing::sim::TraceSink;

constexpr auto kSituations = static_cast<size_t>(Situation::kCount);

SeedRun Run(uint64_t seed, const TraceSink& trace) {
  const SeedResult result = RunSeed(seed, trace);
  SeedRun run{.scenario = result.scenario, .violation = result.violation, .digest = result.digest};
  for (size_t i = 0; i < kSituations; ++i) run.reached.push_back(result.coverage[i]);
  run.jobs = static_cast<uint64_t>(result.jobs);
  run.events = static_cast<uint64_t>(result.steps);
  return run;
}

std::string Summary(const RunTotals& totals, double seconds) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(),
                "%llu seeds, each twice: %llu steps in %.1f s; %.0f seeds/s, %.0f steps/s on one core",
                static_cast<unsigned long long>(totals.seeds), static_cast<unsigned long long>(totals.events), seconds,
                2 * static_cast<double>(totals.seeds) / seconds, static_cast<double>(totals.events) / seconds);
  return text.data();
}

}  // namespace

int main(int argc, char** argv) {
  howdah::testing::sim::Simulator simulator{.program = "howdah-autoscale-sim",
                                            .subject = "autoscaler",
                                            .seeds_file = "tests/sim/autoscale_seeds.txt",
                                            .situations = {},
                                            .run = Run,
                                            .summary = Summary};
  for (size_t i = 0; i < kSituations; ++i) simulator.situations.push_back(ToText(static_cast<Situation>(i)));
  return howdah::testing::sim::RunSeeds(simulator, argc, argv);
}
