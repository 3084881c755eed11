// The phases of a job over time, as a gapless sequence of stretches.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::journal {

// The buckets of wall time. Every moment from the job's submission to its end belongs to exactly one.
enum class Spent {
  kQueue,         // the job waits for containers
  kLocalization,  // all containers are granted; files are fetched, executors start, and working directories are filled
  kStart,         // all executors are connected, the files are there, and no process has been started yet
  kRendezvous,    // processes run, but have not reported a step yet (imports, data, rendezvous)
  kRunning,
  kLost,        // processes ran, but their work since the last checkpoint was lost by a restart or a failure
  kRecovering,  // between two generations
  kCount,
};
std::string_view ToText(Spent what);  // for example "queue"

// A part of the job's time that belongs to one bucket.
struct Stretch {
  Spent what = Spent::kQueue;
  Instant from, to;
  Duration time() const { return to - from; }
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

using Stretches = std::vector<Stretch>;
Duration Sum(const Stretches& stretches);

// The stretches since the last DropBefore, and the total time of each bucket.
class Timeline {
 public:
  // Adds a stretch that begins where the last one ends.
  void Append(const Stretch& stretch);
  // Moves the time of the stretches to the bucket `to`. Each stretch must name the bucket to which its time belongs
  // now.
  void Move(const Stretches& stretches, Spent to);
  // Returns the newest parts of the timeline in bucket `what`, at most `time` in total, oldest part first.
  Stretches Newest(Spent what, Duration time) const;
  // Removes the stretches before `at`. The totals stay.
  void DropBefore(Instant at);
  // Adds time to the total of a bucket, but not to the timeline.
  void AddTotal(Spent what, Duration time) { totals_[static_cast<size_t>(what)] += time; }

  // Oldest first. No stretch is empty, and adjacent ones differ in `what`.
  const Stretches& stretches() const { return stretches_; }
  Duration total(Spent what) const { return totals_[static_cast<size_t>(what)]; }

 private:
  void Repaint(const Stretch& stretch);

  Stretches stretches_;
  std::array<Duration, static_cast<size_t>(Spent::kCount)> totals_{};
};

}  // namespace howdah::journal
