// Heartbeats are many and change nothing but since when an executor is silent.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/core/event.h"

namespace howdah::core {

// Which of them a replica of the Job has to be given to be brought to the same state (StepResult::changed): of each
// container the newest, before an event that looks at it. One thread.
class Heartbeats {
 public:
  void Record(const ContainerId& container, Instant at) { newest_[container] = at; }
  // Those that have to come before the event, the oldest first. They are forgotten.
  std::vector<std::pair<Instant, ContainerId>> TakeBefore(const Event& event);

 private:
  std::map<ContainerId, Instant> newest_;
};

}  // namespace howdah::core
