// Virtual time: a queue of actions ordered by time, then by the order of scheduling.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "howdah/base/time.h"

namespace howdah {

class Schedule {
 public:
  Instant now() const { return now_; }

  void At(Instant when, std::function<void()> what) {
    heap_.push_back({std::max(when, now_), ++order_, std::move(what)});
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }
  void After(Duration delay, std::function<void()> what) { At(now_ + delay, std::move(what)); }

  // Runs the next action. Returns false if the queue is empty.
  bool RunOne() {
    if (heap_.empty()) return false;
    std::pop_heap(heap_.begin(), heap_.end(), Later);
    Entry entry = std::move(heap_.back());
    heap_.pop_back();
    now_ = entry.when;
    entry.what();
    return true;
  }

 private:
  struct Entry {
    Instant when;
    uint64_t order;
    std::function<void()> what;
  };
  static bool Later(const Entry& a, const Entry& b) { return a.when != b.when ? a.when > b.when : a.order > b.order; }

  Instant now_{std::chrono::seconds(1'795'000'000)};  // an arbitrary date that is easy to read in a trace
  uint64_t order_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace howdah
