#include "howdah/journal/timeline.h"

#include <algorithm>

namespace howdah::journal {
namespace {

// Adds a stretch to the end of a sequence.
void Join(Stretches& stretches, const Stretch& next) {
  if (next.from >= next.to) return;
  if (!stretches.empty() && stretches.back().what == next.what) {
    stretches.back().to = next.to;
  } else {
    stretches.push_back(next);
  }
}

}  // namespace

Duration Sum(const Stretches& stretches) {
  Duration sum{};
  for (const Stretch& stretch : stretches) sum += stretch.time();
  return sum;
}

void Timeline::Append(const Stretch& stretch) {
  AddTotal(stretch.what, stretch.time());
  Join(stretches_, stretch);
}

void Timeline::Move(const Stretches& stretches, Spent to) {
  for (const Stretch& stretch : stretches) {
    AddTotal(stretch.what, -stretch.time());
    AddTotal(to, stretch.time());
    Repaint({to, stretch.from, stretch.to});
  }
}

// Changes the bucket of a part of the timeline. Rebuilds the timeline from the first affected stretch on, which usually
// is the last one.
void Timeline::Repaint(const Stretch& stretch) {
  if (stretch.from >= stretch.to) return;
  const auto first = std::partition_point(stretches_.begin(), stretches_.end(),
                                          [&](const Stretch& other) { return other.to <= stretch.from; });
  const Stretches tail(first, stretches_.end());
  stretches_.erase(first, stretches_.end());
  for (const Stretch& old : tail) {
    const Instant from = std::clamp(stretch.from, old.from, old.to), to = std::clamp(stretch.to, old.from, old.to);
    Join(stretches_, {old.what, old.from, from});
    Join(stretches_, {stretch.what, from, to});
    Join(stretches_, {old.what, std::max(from, to), old.to});
  }
}

Stretches Timeline::Newest(Spent what, Duration time) const {
  Stretches found;
  for (auto at = stretches_.rbegin(); at != stretches_.rend() && time > Duration::zero(); ++at) {
    if (at->what != what) continue;
    found.push_back({what, std::max(at->from, at->to - time), at->to});
    time -= found.back().time();
  }
  std::reverse(found.begin(), found.end());
  return found;
}

void Timeline::DropBefore(Instant at) {
  const auto first = std::partition_point(stretches_.begin(), stretches_.end(),
                                          [&](const Stretch& stretch) { return stretch.to <= at; });
  stretches_.erase(stretches_.begin(), first);
  if (!stretches_.empty()) stretches_.front().from = std::max(stretches_.front().from, at);
}

}  // namespace howdah::journal
