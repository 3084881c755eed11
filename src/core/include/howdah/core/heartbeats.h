// Keeps only the newest heartbeat of each container. Heartbeats are frequent, and each one changes only two values: the
// time of the executor's last message, and the usage of its task.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/core/event.h"

namespace howdah::core {

// Keeps the heartbeats that a replica of the Job needs in order to reach the same state (StepResult::changed): the
// newest one of each container, before each event that depends on it. Not thread-safe.
class Heartbeats {
 public:
  void Record(const HeartbeatReceived& heartbeat, Instant at);
  // Removes and returns the heartbeats that must precede the event, the oldest first.
  std::vector<std::pair<Instant, HeartbeatReceived>> TakeBefore(const Event& event);

 private:
  struct Newest {
    Instant at;
    std::optional<Usage> usage;
  };
  std::map<ContainerId, Newest> newest_;
};

}  // namespace howdah::core
