#include "pace.h"

#include <algorithm>
#include <cstdio>

namespace howdah::core {
namespace {

constexpr Duration kLongestWindow = std::chrono::seconds(30);
constexpr int64_t kManySteps = 20;  // so many even out what single steps take
constexpr double kSlow = 2;
constexpr int kSlowWindows = 3;
constexpr size_t kFewest = 3;  // of two nobody can say which one is the exception

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

std::optional<double> SlowerBy(double own, std::vector<double> all) {
  if (all.size() < kFewest || own <= 0) return std::nullopt;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  const double times = *middle / own;
  return times >= kSlow ? std::optional(times) : std::nullopt;
}

bool IsNewlySlow(int slow_windows) { return slow_windows == kSlowWindows; }

std::string SlowText(std::string_view task, int rank, std::string_view node, double times, double own) {
  char figures[100];
  std::snprintf(figures, sizeof figures,
                " is slow: a step takes it %.1f times as long as the others (%.3g steps a second)", times, own);
  return std::string(task) + " (rank " + std::to_string(rank) + ")" + (node.empty() ? "" : " on " + std::string(node)) +
         figures;
}

}  // namespace howdah::core
