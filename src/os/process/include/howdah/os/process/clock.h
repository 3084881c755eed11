// The clock of this process.
#pragma once

#include <chrono>

#include "howdah/base/time.h"

namespace howdah::os::process {

// A steady clock that starts at the wall time of its construction. Now() is monotonic and ignores steps of the wall
// clock. Cheap to copy. Thread-safe.
class Clock {
 public:
  Clock()
      : wall_(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now())),
        steady_(std::chrono::steady_clock::now()) {}

  Instant Now() const { return ToInstant(std::chrono::steady_clock::now()); }

  Instant ToInstant(std::chrono::steady_clock::time_point t) const {
    return wall_ + std::chrono::duration_cast<Duration>(t - steady_);
  }

 private:
  Instant wall_;
  std::chrono::steady_clock::time_point steady_;
};

}  // namespace howdah::os::process
