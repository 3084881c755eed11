#include "howdah/core/policy/stragglers.h"

#include <algorithm>
#include <utility>

namespace howdah::core::policy {
namespace {

constexpr Duration kLongestWindow = std::chrono::seconds(30);
constexpr int64_t kManySteps = 20;  // enough to average out single slow steps
constexpr int kSlowWindows = 3;
constexpr size_t kFewest = 3;  // fewer tasks are not compared: with two tasks, neither is an outlier

}  // namespace

bool Pace::Take(int64_t step, Instant at) {
  if (!from_ || step < first_) {
    from_ = at;
    first_ = step;
    return false;
  }
  const Duration during = at - *from_;
  const bool enough = during >= window_ && step - first_ >= kManySteps;
  if (!enough && during < kLongestWindow) return false;
  window_ = std::min(kLongestWindow, window_ * 3 / 2);
  steps_per_second_.reset();
  if (step > first_)
    steps_per_second_ = static_cast<double>(step - first_) / std::chrono::duration<double>(during).count();
  from_ = at;
  first_ = step;
  return true;
}

bool Pace::CountWindow(bool slow) {
  slow_windows_ = slow ? slow_windows_ + 1 : 0;
  return slow_windows_ == kSlowWindows;
}

std::optional<double> MedianOf(std::vector<double> all) {
  if (all.size() < kFewest) return std::nullopt;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

std::optional<double> SlowerThan(double median, double own, double least) {
  if (own <= 0) return std::nullopt;
  const double times = median / own;
  return times >= least ? std::optional(times) : std::nullopt;
}

std::optional<double> SlowerBy(double own, std::vector<double> all, double least) {
  const auto median = MedianOf(std::move(all));
  return median ? SlowerThan(*median, own, least) : std::nullopt;
}

}  // namespace howdah::core::policy
