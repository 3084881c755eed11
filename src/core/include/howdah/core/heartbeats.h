// Heartbeats are frequent, and change only the time since which an executor is silent.
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
  void Record(const ContainerId& container, Instant at) { newest_[container] = at; }
  // Removes and returns those that have to precede the event, the oldest first.
  std::vector<std::pair<Instant, ContainerId>> TakeBefore(const Event& event);

 private:
  std::map<ContainerId, Instant> newest_;
};

}  // namespace howdah::core
