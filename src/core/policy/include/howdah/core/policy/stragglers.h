// Detects ranks that are slower than the others, from the steps that tasks report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::core::policy {

// The step rate of one task, measured over windows. The first window takes 5 s, and each further one 1.5 times as long
// as the one before, up to 30 s. So a rank that is slow from the start is found soon, and a pause of a minute in a long
// run does not count as slow. A window also contains at least 20 steps, unless it has taken 30 s. A window ends with a
// step, so that a pause, for example for a checkpoint, is part of only one window.
class Pace {
 public:
  void Begin() { *this = {}; }
  // Adds a step that the task reached at the time `at`. Returns true if the step completes a window.
  bool Take(int64_t step, Instant at);
  // The rate in the last complete window. Returns nullopt if there is no complete window, or if it had no step.
  std::optional<double> steps_per_second() const { return steps_per_second_; }
  // Counts consecutive slow windows. Returns true once per slow period: when the task has been slow for long enough to
  // be reported.
  bool CountWindow(bool slow);

 private:
  std::optional<Instant> from_;
  int64_t first_ = 0;
  Duration window_ = std::chrono::seconds(5);
  std::optional<double> steps_per_second_;
  int slow_windows_ = 0;
};

// A task is reported at once if its steps take this many times as long as those of the median task.
inline constexpr double kMuchSlower = 2;

// How many times longer a step takes for this task than for the median task. Returns nullopt if there are too few tasks
// to compare, or if this factor is less than `least`. own, all: steps per second.
std::optional<double> SlowerBy(double own, std::vector<double> all, double least = kMuchSlower);
// The two steps of SlowerBy, for callers that compare many tasks with the same median. MedianOf returns nullopt if
// there are too few tasks to compare.
std::optional<double> MedianOf(std::vector<double> all);
std::optional<double> SlowerThan(double median, double own, double least);

}  // namespace howdah::core::policy
