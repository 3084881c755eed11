// State shared by all parts of one simulation: time, randomness, and the findings.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "howdah/base/random.h"
#include "howdah/base/schedule.h"
#include "howdah/base/time.h"
#include "howdah/testing/autoscale_sim/run_seed.h"
#include "scenario.h"

namespace howdah::testing::autoscale_sim {

struct World {
  Schedule schedule;
  Random random;
  Scenario scenario;
  Instant faults_end;  // no faults occur from this time on
  TraceSink trace;
  Coverage coverage;
  std::optional<Violation> violation;  // the first that was found
  uint64_t digest = 0;

  const Faults& faults() const { return scenario.faults; }
  bool Fault(double chance) { return schedule.now() < faults_end && random.Chance(chance); }
  Duration Between(int low_seconds, int high_seconds) {
    return random.Between(Duration(std::chrono::seconds(low_seconds)), Duration(std::chrono::seconds(high_seconds)));
  }
  void Reach(Situation situation) { coverage.set(static_cast<size_t>(situation)); }
  void Violate(std::string check, std::string what) {
    if (!violation) violation = Violation{std::move(check), std::move(what)};
  }
  void Trace(const std::function<std::string()>& line) const {
    if (trace) trace(FormatInstant(schedule.now()) + " " + line());
  }
  void Digest(const std::string& text) {
    for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
};

}  // namespace howdah::testing::autoscale_sim
