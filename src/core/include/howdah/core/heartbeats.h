// Heartbeats are frequent, and change only the time since which an executor is silent and the usage of its task.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/core/event.h"

namespace howdah::core {

// The heartbeats that a replica of the Job needs to reach the same state (StepResult::changed): the newest one of each
// container, before an event that depends on it. One thread.
class Heartbeats {
 public:
  void Record(const HeartbeatReceived& heartbeat, Instant at);
  // Removes and returns those that have to precede the event, the oldest first.
  std::vector<std::pair<Instant, HeartbeatReceived>> TakeBefore(const Event& event);

 private:
  struct Newest {
    Instant at;
    std::optional<Usage> usage;
  };
  std::map<ContainerId, Newest> newest_;
};

}  // namespace howdah::core
