// Adds up the hardware that jobs held, by user, queue, day and so on. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/jobspec/configuration.h"
#include "howdah/journal/ledger.h"

namespace howdah::client {

enum class GroupBy { kJob, kUser, kQueue, kName, kFramework, kTag, kDay, kBackend };

// One job of the report.
struct CountedJob {
  std::string id, user, name, framework, backend, queue;
  std::vector<std::string> tags;
  core::JobState state = core::JobState::kQueued;
  // The figures of the job by day. If its buckets are not known (a job that TonY ran), only the sum of the buckets has
  // a meaning.
  std::map<journal::Day, journal::HardwareTime::Buckets> days;
  bool known = false;          // whether the hardware that it held is known
  bool knows_buckets = false;  // whether its buckets are known, too
  bool knows_lost = false;     // whether its lost time is known, too
  std::optional<double> busy;  // the result of Ledger::busy()
};

// Returns the job of a ledger. The fields that the journal does not contain are left empty.
CountedJob CountedJobOf(const journal::Ledger& ledger);

// The sums over the jobs of a group.
struct GoodputGroup {
  std::string name;
  int64_t jobs = 0, succeeded = 0, failed = 0, killed = 0;
  // The hardware of the jobs for which it is known. The buckets add up to `held`, unless the group has jobs whose
  // buckets are not known. Such jobs are only in `held`.
  journal::Held held;
  journal::HardwareTime::Buckets buckets;
  std::map<std::string, journal::Held> labels;  // the part of `held` on nodes with a label, by label
  bool known = false, knows_buckets = false, knows_lost = false;
  // Useful GPU time, in GPU-microseconds, of the jobs whose GPU use is known. `busy` is the part of `busy_of` in which
  // the GPUs were busy.
  journal::ResourceTime busy = 0, busy_of = 0;

  Duration queue() const { return buckets[journal::Bucket::kWaiting].wall; }
  std::optional<double> goodput() const;
  std::optional<double> busy_share() const;
  // nullopt if nothing is known. Hardware without a price costs nothing.
  std::optional<double> Cost(const jobspec::Prices& prices) const;
};

class GoodputReport {
 public:
  explicit GoodputReport(GroupBy by) : by_(by), total_{.name = "all"} {}

  // A job with several tags counts in the group of each tag, and once in the total. With kDay, a job counts on each day
  // on which it existed, and its end counts on the last of these days.
  void Add(const CountedJob& job);

  // Returns days in chronological order. Other groups are sorted by their hardware, most expensive first.
  std::vector<GoodputGroup> Groups() const;
  const GoodputGroup& total() const { return total_; }
  GroupBy by() const { return by_; }

 private:
  std::vector<std::string> NamesOf(const CountedJob& job) const;

  GroupBy by_;
  std::map<std::string, GoodputGroup> groups_;
  GoodputGroup total_;
};

// Formats "2026-11-21".
std::string ToText(journal::Day day);

}  // namespace howdah::client
