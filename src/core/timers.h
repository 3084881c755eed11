// All deadlines of a job in one heap. Moving a deadline to a later time leaves the heap unchanged: at the old time, the
// timer is checked and its entry moves. A heartbeat therefore costs only one assignment, even with 10,000 executors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::core {

inline constexpr Instant kNever = Instant::max();

// The deadline of the class that has it as a field. TimerQueue::Arm arms it.
class Timer {
 public:
  Instant due() const { return due_; }  // kNever: it is not armed
  void Disarm() { due_ = kNever; }
  // Moves an armed deadline to a later time.
  void Delay(Duration by) {
    if (due_ != kNever) due_ += by;
  }

 private:
  friend class TimerQueue;
  Instant due_ = kNever;
  Instant armed_ = kNever;  // the time of the valid entry in the heap; any other entry of this timer is stale
};

// Identifies the timer of an entry by its owner.
struct TimerKey {
  enum class Owner : uint8_t { kJob, kContainer, kTask, kMissing, kRole };
  Owner owner = Owner::kJob;
  int32_t first = 0;   // the number of the JobTimer, of the container or of the role, depending on the owner
  int32_t second = 0;  // the task's index
};

class TimerQueue {
 public:
  struct Entry {
    Instant at;
    TimerKey key;
  };

  void Arm(Timer& timer, TimerKey key, Instant due);
  // Removes and returns an entry that is due. The caller finds its timer and calls IsDue.
  std::optional<Entry> Pop(Instant now);
  // Whether the timer of a popped entry is due. If so, the timer is disarmed. Otherwise the entry is put back if
  // needed.
  bool IsDue(Timer& timer, const Entry& entry);
  std::optional<Instant> Next() const;

 private:
  std::vector<Entry> heap_;
};

}  // namespace howdah::core
