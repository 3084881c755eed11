// State shared by all parts of one simulation: time, randomness, the network, and the findings.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "howdah/base/random.h"
#include "howdah/base/schedule.h"
#include "howdah/base/time.h"
#include "howdah/testing/feed_sim/run_seed.h"
#include "scenario.h"

namespace howdah::testing::feed_sim {

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
  Duration Latency() {
    const Duration usual = random.Between(Duration(100), faults().latency);
    return Fault(faults().message_late) ? usual + random.Between(Duration(0), Duration(std::chrono::seconds(2)))
                                        : usual;
  }
  // Delivers a message later, perhaps twice. lost: called some time later, if the message is lost.
  void Send(const std::function<void()>& deliver, const std::function<void()>& lost) {
    if (Fault(faults().message_lost)) {
      Reach(Situation::kMessageLost);
      return schedule.After(random.Between(Duration(0), Duration(std::chrono::seconds(1))), lost);
    }
    schedule.After(Latency(), deliver);
    if (Fault(faults().message_twice)) {
      Reach(Situation::kMessageTwice);
      schedule.After(Latency(), deliver);
    }
  }
  void Reach(Situation situation) { coverage.set(static_cast<size_t>(situation)); }
  void Violate(std::string check, std::string what) {
    if (!violation) violation = Violation{std::move(check), std::move(what)};
  }
  void Trace(const std::function<std::string()>& line) const {
    if (trace) trace(FormatInstant(schedule.now()) + " " + line());
  }
  void Digest(uint64_t value) { digest = (digest ^ value) * 0x100000001b3; }
};

}  // namespace howdah::testing::feed_sim
