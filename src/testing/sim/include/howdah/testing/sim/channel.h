// A simulated connection.
#pragma once

#include <algorithm>

#include "howdah/base/time.h"

namespace howdah::testing::sim {

// One connection: messages arrive in the order in which they were sent, even if their delays differ.
class Channel {
 public:
  // Returns the arrival time of a message that is sent now.
  Instant Arrival(Instant now, Duration delay) { return last_ = std::max(last_, now + delay); }
  // Delays all messages until at least `when`.
  void HoldUntil(Instant when) { last_ = std::max(last_, when); }

 private:
  Instant last_{};
};

}  // namespace howdah::testing::sim
