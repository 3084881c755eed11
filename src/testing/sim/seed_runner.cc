#include "howdah/testing/sim/seed_runner.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "howdah/base/number.h"

namespace howdah::testing::sim {
namespace {

std::string Usage(const Simulator& simulator) {
  const std::string& program = simulator.program;
  return "Usage: " + program +
         " [--seeds N] [--from N] [--seeds-file FILE] [--coverage]\n"
         "       " +
         program +
         " --seed N [--trace]\n"
         "\n"
         "Runs N seeds from FROM (1000 from 1), each twice, and those named in FILE, one at the start of a line. Stops "
         "at the\n"
         "first that breaks a rule. With --coverage it also fails if a situation was reached by no seed.\n"
         "--seed runs one; --trace prints all that happens.\n"
         "\n"
         "Example: " +
         program + " --seeds 2000 --seeds-file " + simulator.seeds_file + " --coverage\n";
}

struct Options {
  uint64_t seeds = 1000, from = 1;
  std::vector<uint64_t> named;
  bool one = false, trace = false, coverage = false;
};

// The current simulator and seed, for the signal handler below.
const Simulator* current_simulator = nullptr;
uint64_t current_seed = 0;

// Called when the subject aborts because one of its own invariants is broken. At this point, only the seed can still be
// reported.
void ReportSeedOnAbort(int) {
  const auto seed = static_cast<unsigned long long>(current_seed);
  std::printf("seed %llu: The %s keeps its own invariants\n  it aborted; see it with: %s --seed %llu --trace\n", seed,
              current_simulator->subject.c_str(), current_simulator->program.c_str(), seed);
  std::fflush(stdout);
  std::_Exit(1);
}

bool ReadSeeds(const Simulator& simulator, const char* file, std::vector<uint64_t>& seeds) {
  std::ifstream in(file);
  if (!in) {
    std::fprintf(stderr, "%s: cannot read %s\n", simulator.program.c_str(), file);
    return false;
  }
  for (std::string line; std::getline(in, line);) {
    if (const auto seed = ParseNumber<uint64_t>(line.substr(0, line.find(' ')))) seeds.push_back(*seed);
  }
  return true;
}

bool Parse(const Simulator& simulator, int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = ParseNumber<uint64_t>(value);
    if (flag == "--trace") {
      options.trace = true;
    } else if (flag == "--coverage") {
      options.coverage = true;
    } else if (flag == "--seeds" && number) {
      options.seeds = *number;
      ++i;
    } else if (flag == "--from" && number) {
      options.from = *number;
      ++i;
    } else if (flag == "--seed" && number) {
      options.one = true;
      options.named.push_back(*number);
      ++i;
    } else if (flag == "--seeds-file") {
      if (!ReadSeeds(simulator, value, options.named)) return false;
      ++i;
    } else {
      std::fputs(Usage(simulator).c_str(), stderr);
      return false;
    }
  }
  if (options.one) options.seeds = 0;
  return true;
}

// Runs a seed twice. If the seed broke a rule, prints the rule and returns false.
bool RunTwice(const Simulator& simulator, uint64_t seed, bool trace, RunTotals& totals) {
  current_seed = seed;
  const auto print = [](const std::string& line) { std::printf("%s\n", line.c_str()); };
  const SeedRun first = simulator.run(seed, trace ? TraceSink(print) : nullptr);
  const auto number = static_cast<unsigned long long>(seed);
  if (first.violation) {
    std::printf("seed %llu (%s): %s\n  %s\n", number, first.scenario.c_str(), first.violation->check.c_str(),
                first.violation->what.c_str());
    if (!trace) std::printf("  see it with: %s --seed %llu --trace\n", simulator.program.c_str(), number);
    return false;
  }
  if (simulator.run(seed, nullptr).digest != first.digest) {
    std::printf("seed %llu (%s): Two runs of a seed are equal\n  two runs ended on different digests\n", number,
                first.scenario.c_str());
    return false;
  }
  ++totals.seeds;
  totals.jobs += 2 * first.jobs;
  totals.events += 2 * first.events;
  for (size_t i = 0; i < totals.reached.size(); ++i) totals.reached[i] += first.reached[i];
  return true;
}

// Returns whether every situation was reached by some seed.
bool PrintCoverage(const Simulator& simulator, const RunTotals& totals) {
  bool all = true;
  for (size_t i = 0; i < totals.reached.size(); ++i) {
    const std::string_view text = simulator.situations[i];
    std::printf("%8llu  %.*s%s\n", static_cast<unsigned long long>(totals.reached[i]), static_cast<int>(text.size()),
                text.data(), totals.reached[i] == 0 ? "   <- never" : "");
    all = all && totals.reached[i] > 0;
  }
  return all;
}

}  // namespace

int RunSeeds(const Simulator& simulator, int argc, char** argv) {
  Options options;
  if (!Parse(simulator, argc, argv, options)) return 2;
  static char buffer[BUFSIZ];  // static, so that nothing is allocated while the program aborts
  std::setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
  current_simulator = &simulator;
  std::signal(SIGABRT, ReportSeedOnAbort);
  std::signal(SIGSEGV, ReportSeedOnAbort);

  RunTotals totals;
  totals.reached.resize(simulator.situations.size());
  const auto began = std::chrono::steady_clock::now();
  for (const uint64_t seed : options.named) {
    if (!RunTwice(simulator, seed, options.trace, totals)) return 1;
  }
  for (uint64_t i = 0; i < options.seeds; ++i) {
    if (!RunTwice(simulator, options.from + i, options.trace, totals)) return 1;
  }
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

  if (!options.one) {
    std::printf("seeds that reached a situation:\n");
    const bool all = PrintCoverage(simulator, totals);
    if (options.coverage && !all) {
      std::printf("a situation was never reached: the simulation no longer brings it about\n");
      return 1;
    }
  }
  std::printf("%s\n", simulator.summary(totals, took).c_str());
  return 0;
}

}  // namespace howdah::testing::sim
