// All deadlines of a job in one heap. Moving a deadline to a later time costs nothing: its entry is checked again at
// the old time. So a heartbeat of one of 10,000 executors is one store.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::core {

inline constexpr Instant kNever = Instant::max();

// Owned by the unit that waits. To disarm: due = kNever.
struct Timer {
  Instant due = kNever;
  Instant armed = kNever;  // of its valid entry in the heap; any other entry of it is stale
};

// The owner of an entry's timer.
struct TimerKey {
  enum class Owner : uint8_t { kJob, kContainer, kTask, kMissing, kRole };
  Owner owner = Owner::kJob;
  int32_t first = 0;   // which of the job's timers; the container's slot; the task's role (also of kMissing); the role
  int32_t second = 0;  // the task's index
};

class TimerQueue {
 public:
  struct Entry {
    Instant at;
    TimerKey key;
  };

  void Arm(Timer& timer, TimerKey key, Instant due);
  // An entry that is due; the caller finds its timer and calls IsDue.
  std::optional<Entry> Pop(Instant now);
  // Whether the timer of an entry that was popped is due; it is disarmed then. Otherwise its entry is put back if
  // needed.
  bool IsDue(Timer& timer, const Entry& entry);
  std::optional<Instant> Next() const;

 private:
  std::vector<Entry> heap_;
};

}  // namespace howdah::core
