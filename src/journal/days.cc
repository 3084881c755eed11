#include "howdah/journal/days.h"

namespace howdah::journal {

Day Days::Of(Instant at) const {
  return std::chrono::floor<std::chrono::days>(
      std::chrono::local_time<Duration>((at + OffsetAt(at)).time_since_epoch()));
}

// The day usually ends at the midnight that the present offset gives. If the offset changes during the day, the end is
// found by bisection. It is less than three days away, because an offset is less than a day.
Instant Days::EndAfter(Instant at) const {
  const Day day = Of(at);
  const Instant midnight((day + std::chrono::days(1)).time_since_epoch() - OffsetAt(at));
  if (Of(midnight - Duration(1)) == day && Of(midnight) != day) return midnight;
  Instant inside = at, outside = at + std::chrono::days(3);
  while (outside - inside > Duration(1)) {
    const Instant middle = inside + (outside - inside) / 2;
    (Of(middle) == day ? inside : outside) = middle;
  }
  return outside;
}

}  // namespace howdah::journal
