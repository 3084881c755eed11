#include "timers.h"

#include <algorithm>
#include <tuple>

namespace howdah::core {
namespace {

// Entries for the same time also have a fixed order, so that the same events lead to the same actions.
bool Later(const TimerQueue::Entry& a, const TimerQueue::Entry& b) {
  const auto order = [](const TimerQueue::Entry& e) {
    return std::make_tuple(e.at, e.key.owner, e.key.first, e.key.second);
  };
  return order(a) > order(b);
}

}  // namespace

void TimerQueue::Arm(Timer& timer, TimerKey key, Instant due) {
  timer.due_ = due;
  if (due >= timer.armed_) return;
  timer.armed_ = due;
  heap_.push_back({due, key});
  std::push_heap(heap_.begin(), heap_.end(), Later);
}

std::optional<TimerQueue::Entry> TimerQueue::Pop(Instant now) {
  if (heap_.empty() || heap_.front().at > now) return std::nullopt;
  std::pop_heap(heap_.begin(), heap_.end(), Later);
  const Entry entry = heap_.back();
  heap_.pop_back();
  return entry;
}

bool TimerQueue::IsDue(Timer& timer, const Entry& entry) {
  if (timer.armed_ != entry.at) return false;
  timer.armed_ = kNever;
  if (timer.due_ == kNever) return false;
  // The timer was moved to a later time, so put its entry back with that time.
  if (timer.due_ > entry.at) {
    Arm(timer, entry.key, timer.due_);
    return false;
  }
  timer.due_ = kNever;
  return true;
}

std::optional<Instant> TimerQueue::Next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().at;
}

}  // namespace howdah::core
