// Which rank is slower than the others, by the steps that tasks report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::core::policy {

// The step rate of one task, measured over windows. The first window takes 5 s, each further one half as long again, up
// to 30 s: a rank that is slow from the start is found soon, and a pause of a minute in a long run is not called slow.
// A window also has at least 20 steps, unless it has taken 30 s. A window ends with a step, so that a pause, for
// example for a checkpoint or a compiler, is part of only one window.
class Pace {
 public:
  void Begin() { *this = {}; }
  // Adds a step at a time. true: the step completes a window.
  bool Take(int64_t step, Instant at);
  // Of the last complete window; nullopt: there is no complete window, or it had no step.
  std::optional<double> steps_per_second() const { return steps_per_second_; }
  // Counts consecutive slow windows. true: the task has just been slow for long enough to be reported, once.
  bool CountWindow(bool slow);

 private:
  std::optional<Instant> from_;
  int64_t first_ = 0;
  Duration window_ = std::chrono::seconds(5);
  std::optional<double> steps_per_second_;
  int slow_windows_ = 0;
};

// How many times longer a step takes for this task than for the median task; nullopt: there are too few tasks to
// compare, or the task is not much slower.
std::optional<double> SlowerBy(double own, std::vector<double> all);

}  // namespace howdah::core::policy
