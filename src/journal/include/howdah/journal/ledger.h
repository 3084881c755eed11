// The hardware that one job held, by bucket and by day, computed from its journal. Pure.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/journal/days.h"
#include "howdah/journal/held.h"
#include "howdah/journal/job_view.h"

namespace howdah::journal {

// The backend of a job whose journal was made from a history of TonY (core::JobSubmitted::on).
inline constexpr char kTonyHistory[] = "tony";

// All sums are exact: the buckets add up to Total(), and the days of a bucket add up to the bucket.
//
// The ledger accepts any sequence of entries, as JobView does. Its time is that of the newest entry so far: an entry
// with an earlier time, written after a clock was set back, adds no time. Hardware is held from the ContainerGranted
// entry to the ContainerReleased entry, and at most until the job's final entry. While no checkpoint has been reported,
// no time counts as lost, as in TimeBreakdown; a checkpoint that is reported late makes lost time useful again.
class Ledger {
 public:
  // days: the days, in some time zone, into which the totals are divided. window: time outside of it is not counted.
  explicit Ledger(Days days = {}, Window window = {});

  void Take(const core::JournalEntry& entry);
  // Counts the hardware of an unfinished job until `now`. Does nothing if the job has ended.
  void AdvanceTo(Instant now);

  // Whether it is known which hardware the job held. Journals written by versions that did not record grants do not
  // contain the hardware, and some histories of TonY. Show "–" for such jobs, not 0. The hardware is also unknown until
  // the first grant.
  bool known() const;
  // Whether it is known, too, in which buckets. A history of TonY says only how long containers were held: show "–" for
  // each bucket, and for the goodput. Otherwise the same as known().
  bool knows_buckets() const;
  // Whether the lost time is known, because some checkpoint was reported.
  bool knows_lost() const;

  // Returns all figures at once. Each call of one of the functions below computes this map again.
  std::map<Day, HardwareTime::Buckets> ByDay() const;
  Held Of(Bucket bucket) const;
  Held Of(Bucket bucket, Day day) const;
  // The sum of all buckets.
  Held Total() const;
  Held Total(Day day) const;
  // The days on which the job existed, within the window, oldest first.
  std::vector<Day> days() const;

  // The wall time of the job in a bucket. It is independent of the hardware. kTail has none, because the other
  // containers may still run.
  Duration Wall(Bucket bucket) const;
  Duration Wall(Bucket bucket, Day day) const;

  // The use of the GPUs while processes ran, from 0 to 1: the averages of the attempts that have ended, weighted by
  // GPUs and running time, rounded to millionths. nullopt if no attempt with GPUs has reported its use.
  std::optional<double> busy() const;

  // The job, as far as the entries describe it.
  const JobView& job() const { return view_; }

 private:
  JobView view_;
};

// Returns the share of the held hardware that was useful, from 0 to 1. Compares GPUs if any were held, otherwise
// vcores, otherwise memory. Returns nullopt if nothing was held.
std::optional<double> Goodput(const Held& useful, const Held& held);

}  // namespace howdah::journal
