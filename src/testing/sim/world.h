// State shared by all parts of one simulation: time, randomness, the active faults, and the findings.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "howdah/base/random.h"
#include "howdah/base/schedule.h"
#include "howdah/testing/sim/coverage.h"
#include "howdah/testing/sim/faults.h"
#include "howdah/testing/sim/run_seed.h"

namespace howdah::testing::sim {

// The maximum grant delay of the backend after faults have stopped. It is shorter than any gang time-out.
inline constexpr Duration kPrompt = std::chrono::milliseconds(200);

struct World {
  Schedule schedule;
  Random random;
  const Faults& faults;
  Instant faults_end;  // no faults occur from this time on
  TraceSink trace;
  Coverage coverage;
  std::optional<Violation> violation;  // the first violation that was found

  bool Fault(double chance) { return schedule.now() < faults_end && random.Chance(chance); }
  // Returns the delay after which a fault with this probability occurs; nullopt if it does not occur. The fault occurs
  // before the phase with faults ends.
  std::optional<Duration> FaultWithin(double chance, Duration longest) {
    if (!Fault(chance)) return std::nullopt;
    return random.Between(Duration(0), std::min(longest, Duration(faults_end - schedule.now())));
  }
  Duration Latency() {
    const Duration usual = random.Between(Duration(100), faults.latency);
    return Fault(faults.message_late) ? usual + random.Between(Duration(0), faults.late_by) : usual;
  }
  Duration GrantDelay() {
    const Duration longest = schedule.now() < faults_end ? faults.grant_delay : std::min(faults.grant_delay, kPrompt);
    return random.Between(Duration(0), longest);
  }
  // Whether the clocks of the AM and of the nodes agree.
  bool clocks_agree() const { return faults.clock_jumps == 0; }
  void Reach(Situation situation) { coverage.set(static_cast<size_t>(situation)); }
  void Violate(std::string check, std::string what) {
    if (!violation) violation = Violation{std::move(check), std::move(what)};
  }
};

}  // namespace howdah::testing::sim
