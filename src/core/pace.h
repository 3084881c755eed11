// Policy: which of several ranks is slower than the others, by the steps that they tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::core {

// A task's steps over a while: measured anew each time a window is over. The first window takes 5 s, each after it half
// as long again, up to 30 s: a rank that is slow from the beginning is known soon, and one that has worked for long is
// not called slow for what lasts a minute. A window has 20 steps, too, or takes 30 s. It ends with a step, so that a
// pause, be it for a checkpoint or a compiler, is part of one window and no more.
class Pace {
 public:
  void Begin() { *this = {}; }
  // Takes its step at a time. true: a window is over with it.
  bool Take(int64_t step, Instant at);
  // Of the last window that is over, per second; nullopt: none is, or it made no step in it.
  std::optional<double> steps_per_second() const { return steps_per_second_; }
  // How often in a row the task was found to be slow.
  int slow_windows = 0;

 private:
  std::optional<Instant> from_;
  int64_t first_ = 0;
  Duration window_ = std::chrono::seconds(5);
  std::optional<double> steps_per_second_;
};

// How many times longer a step takes of this task than of the one in the middle; nullopt: too few to compare, or it is
// not much slower than half of them are.
std::optional<double> SlowerBy(double own, std::vector<double> all);

// Whether it has been so for long enough to be said, once.
bool IsNewlySlow(int slow_windows);

// "worker:3 (rank 4) on node7 is slow: a step takes it 2.4 times as long as the others (0.8 steps a second)".
std::string SlowText(std::string_view task, int rank, std::string_view node, double times, double own);

}  // namespace howdah::core
