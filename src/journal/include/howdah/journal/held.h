// Amounts of hardware over time: how much a job held, and for how long.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "howdah/base/time.h"
#include "howdah/core/change.h"

namespace howdah::journal {

// The buckets of hardware time. Every moment in which a container is held belongs to exactly one bucket: to kTail, or
// to the bucket that corresponds to the job's wall time (Spent) at that moment.
enum class Bucket {
  kWaiting,  // Spent::kQueue: the container is held, and the gang is not complete yet
  kLocalization,
  kStart,
  kRendezvous,
  kUseful,  // Spent::kRunning
  kLost,
  kRecovering,
  kTail,  // the last process in the container has ended, and the container is still held
  kCount,
};
std::string_view ToText(Bucket bucket);  // for example "waiting"

// One unit of a resource for one microsecond. The range is sufficient for 2^24 containers of 256 TiB for 100 years.
__extension__ typedef __int128 ResourceTime;

// Hardware over time, exact: amounts multiplied by microseconds. Sums of any number of values are exact, too.
struct Held {
  ResourceTime memory = 0;                     // byte-microseconds
  ResourceTime vcores = 0;                     // vcore-microseconds
  ResourceTime gpus = 0;                       // GPU-microseconds
  std::map<std::string, ResourceTime> others;  // by resource type, in units of the type; never contains 0

  bool empty() const { return *this == Held(); }
  Held& operator+=(const Held& more);
  Held& operator-=(const Held& less);
  friend bool operator==(const Held&, const Held&) = default;
};

// Larger amounts are reduced to this limit, because only a damaged journal contains them.
inline constexpr int64_t kMostGranted = int64_t{1} << 48;

// Returns `granted` held for `time`. Negative amounts count as 0.
Held Over(const core::Resources& granted, Duration time);

// Converts to units of seconds, for people and for JSON: GPU-microseconds to GPU-seconds, for example.
double Seconds(ResourceTime time);
// Converts byte-microseconds to GiB-seconds.
double GibSeconds(ResourceTime time);

}  // namespace howdah::journal
