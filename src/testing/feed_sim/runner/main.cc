// howdah-feed-sim: runs the ledger of feeds through many simulations, each from a seed, and reports each seed that
// broke a rule.
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "howdah/testing/feed_sim/run_seed.h"

namespace {

using howdah::testing::feed_sim::RunSeed;
using howdah::testing::feed_sim::SeedResult;
using howdah::testing::feed_sim::Situation;

constexpr char kUsage[] =
    "Usage: howdah-feed-sim [--seeds N] [--from N] [--seeds-file FILE] [--coverage]\n"
    "       howdah-feed-sim --seed N [--trace]\n"
    "\n"
    "Runs N seeds from FROM (1000 from 1), each twice, and those named in FILE, one at the start of a line. Stops at "
    "the\n"
    "first that breaks a rule. With --coverage it also fails if a situation was reached by no seed.\n"
    "--seed runs one; --trace prints all that happens.\n"
    "\n"
    "Example: howdah-feed-sim --seeds 2000 --seeds-file tests/sim/feed_seeds.txt --coverage\n";

struct Options {
  uint64_t seeds = 1000, from = 1;
  std::vector<uint64_t> named;
  bool one = false, trace = false, coverage = false;
};

// The current seed, for the signal handler below.
uint64_t current_seed = 0;

// Called when the ledger aborts because one of its own invariants is broken. At this point, only the seed can still be
// reported.
void ReportSeedOnAbort(int) {
  const auto seed = static_cast<unsigned long long>(current_seed);
  std::printf(
      "seed %llu: The ledger keeps its own invariants\n  it aborted; see it with: howdah-feed-sim --seed %llu "
      "--trace\n",
      seed, seed);
  std::fflush(stdout);
  std::_Exit(1);
}

bool ParseNumber(const char* text, uint64_t& number) {
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, number);
  return error == std::errc() && at == end;
}

bool ReadSeeds(const char* file, std::vector<uint64_t>& seeds) {
  std::ifstream in(file);
  if (!in) {
    std::fprintf(stderr, "howdah-feed-sim: cannot read %s\n", file);
    return false;
  }
  for (std::string line; std::getline(in, line);) {
    uint64_t seed = 0;
    const std::string word = line.substr(0, line.find(' '));
    if (ParseNumber(word.c_str(), seed) && !word.empty()) seeds.push_back(seed);
  }
  return true;
}

bool Parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    uint64_t seed = 0;
    if (flag == "--trace") {
      options.trace = true;
    } else if (flag == "--coverage") {
      options.coverage = true;
    } else if (flag == "--seeds" && ParseNumber(value, options.seeds)) {
      ++i;
    } else if (flag == "--from" && ParseNumber(value, options.from)) {
      ++i;
    } else if (flag == "--seed" && ParseNumber(value, seed)) {
      options.one = true;
      options.named.push_back(seed);
      ++i;
    } else if (flag == "--seeds-file") {
      if (!ReadSeeds(value, options.named)) return false;
      ++i;
    } else {
      std::fputs(kUsage, stderr);
      return false;
    }
  }
  if (options.one) options.seeds = 0;
  return true;
}

struct Totals {
  uint64_t seeds = 0, events = 0;
  std::vector<uint64_t> reached = std::vector<uint64_t>(static_cast<size_t>(Situation::kCount), 0);
};

// Runs a seed twice. If the seed broke a rule, prints the rule and returns false.
bool RunTwice(uint64_t seed, bool trace, Totals& totals) {
  current_seed = seed;
  const SeedResult first =
      trace ? RunSeed(seed, [](const std::string& line) { std::printf("%s\n", line.c_str()); }) : RunSeed(seed);
  if (first.violation) {
    std::printf("seed %llu (%s): %s\n  %s\n", static_cast<unsigned long long>(seed), first.scenario.c_str(),
                first.violation->check.c_str(), first.violation->what.c_str());
    if (!trace)
      std::printf("  see it with: howdah-feed-sim --seed %llu --trace\n", static_cast<unsigned long long>(seed));
    return false;
  }
  if (RunSeed(seed).digest != first.digest) {
    std::printf("seed %llu (%s): Two runs of a seed are equal\n  two runs ended on different digests\n",
                static_cast<unsigned long long>(seed), first.scenario.c_str());
    return false;
  }
  ++totals.seeds;
  totals.events += 2 * static_cast<uint64_t>(first.events);
  for (size_t i = 0; i < totals.reached.size(); ++i) totals.reached[i] += first.coverage[i];
  return true;
}

// Returns whether every situation was reached by some seed.
bool PrintCoverage(const Totals& totals) {
  bool all = true;
  for (size_t i = 0; i < totals.reached.size(); ++i) {
    const std::string_view text = howdah::testing::feed_sim::ToText(static_cast<Situation>(i));
    std::printf("%8llu  %.*s%s\n", static_cast<unsigned long long>(totals.reached[i]), static_cast<int>(text.size()),
                text.data(), totals.reached[i] == 0 ? "   <- never" : "");
    all = all && totals.reached[i] > 0;
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!Parse(argc, argv, options)) return 2;
  static char buffer[BUFSIZ];  // static, so that nothing is allocated while the program aborts
  std::setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
  std::signal(SIGABRT, ReportSeedOnAbort);
  std::signal(SIGSEGV, ReportSeedOnAbort);

  Totals totals;
  const auto began = std::chrono::steady_clock::now();
  for (const uint64_t seed : options.named) {
    if (!RunTwice(seed, options.trace, totals)) return 1;
  }
  for (uint64_t i = 0; i < options.seeds; ++i) {
    if (!RunTwice(options.from + i, options.trace, totals)) return 1;
  }
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

  if (!options.one) {
    std::printf("seeds that reached a situation:\n");
    const bool all = PrintCoverage(totals);
    if (options.coverage && !all) {
      std::printf("a situation was never reached: the simulation no longer brings it about\n");
      return 1;
    }
  }
  std::printf("%llu seeds, each twice: %llu events in %.1f s; %.0f seeds/s, %.0f events/s on one core\n",
              static_cast<unsigned long long>(totals.seeds), static_cast<unsigned long long>(totals.events), took,
              2 * static_cast<double>(totals.seeds) / took, static_cast<double>(totals.events) / took);
  return 0;
}
