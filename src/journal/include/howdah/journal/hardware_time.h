// Computes the hardware that a job holds over time. JobView passes the journal's entries to this class. Readers use
// Ledger, or the totals in JobView.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/journal/days.h"
#include "howdah/journal/held.h"
#include "howdah/journal/time_breakdown.h"

namespace howdah::journal {

class HardwareTime {
 public:
  // The figures of one bucket. wall: the job's wall time, which does not depend on its hardware; 0 for kTail.
  struct Figures {
    Held held;
    Duration wall{};
  };
  struct Buckets {
    std::array<Figures, static_cast<size_t>(Bucket::kCount)> all;
    // The held hardware on nodes with a label, by label. It is part of `all`.
    std::map<std::string, Held> labels;

    Figures& operator[](Bucket bucket) { return all[static_cast<size_t>(bucket)]; }
    const Figures& operator[](Bucket bucket) const { return all[static_cast<size_t>(bucket)]; }
    Held Total() const;
    Buckets& operator+=(const Buckets& more);
  };

  HardwareTime() = default;
  // days, window: see Ledger.
  HardwareTime(Days days, Window window) : days_(std::move(days)), window_(window) {}

  // JobView calls these functions while it applies an entry, with TimeBreakdown::now(). Begin clears everything.
  void Begin(Instant submitted);
  void OnContainer(const core::ContainerChanged& change, Instant now);
  void OnAttemptStarted(const std::string& container, Instant now);
  void OnAttemptEnded(const std::string& container, const std::optional<core::Usage>& usage, Instant now);
  void OnJobEnded(Instant now);
  // Adds up the time that no later entry can move to another bucket, so that memory does not grow with the age of the
  // job. Called after each entry.
  void Settle(TimeBreakdown& breakdown);

  // Returns the resources of a container that is held, or nullptr if they are not known.
  const core::Resources* Find(const std::string& container) const;
  bool known() const { return known_; }
  std::optional<double> busy() const;
  // The figures by day, until breakdown.now().
  std::map<Day, Buckets> ByDay(const TimeBreakdown& breakdown) const;
  Buckets Whole(const TimeBreakdown& breakdown) const;

  // Converts to a JSON object (null if not known) and back. The JSON has only the values that users see, so journal
  // entries must not be applied to a HardwareTime made from JSON.
  std::string ToJson(const TimeBreakdown& breakdown) const;
  static HardwareTime FromJson(const std::string& json);

 private:
  struct Container {
    core::Resources granted;
    Instant from;
    std::optional<Instant> released;
    std::optional<Instant> started;  // start of the attempt that runs in the container
    std::optional<Instant> ended;    // end of the last attempt; unset while an attempt runs
  };
  // Adds the time from settled_ until `until` to `days`.
  void Add(const TimeBreakdown& breakdown, Instant until, std::map<Day, Buckets>& days) const;
  Instant Settled(const TimeBreakdown& breakdown) const;
  void Release(const std::string& id, Instant now);

  Days days_;
  Window window_;
  Instant submitted_, settled_;
  std::map<std::string, Container> held_;
  std::vector<Container> released_;  // released containers that were held after settled_
  std::string am_container_;         // the id of the application master's newest container; empty if not known
  std::map<Day, Buckets> settled_days_;
  bool known_ = false;
  int entries_ = 0;  // number of entries since the last attempt to settle
  // busy_: the use of GPUs while attempts ran, in millionths, weighted by GPU-microseconds. busy_weight_: the sum of
  // the weights.
  ResourceTime busy_ = 0, busy_weight_ = 0;
};

}  // namespace howdah::journal
