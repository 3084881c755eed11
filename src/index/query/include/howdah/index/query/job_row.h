// One row of the list of jobs: the fields that a filter selects by, that a list is sorted by, and that a list shows.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/advice/advice.h"
#include "howdah/base/time.h"
#include "howdah/core/states.h"

namespace howdah::index::query {

struct JobProgress {
  std::optional<int64_t> step, steps;  // the lowest step of all tasks, and the number of steps until the end
  std::optional<double> steps_per_second;
  std::optional<Instant> at;  // of the newest report
  friend bool operator==(const JobProgress&, const JobProgress&) = default;
};

// An optional field without a value, and an empty text, mean that the value is not known, or that the job has none.
struct JobRow {
  std::string id, name, user, queue, backend, framework, reason;
  core::JobState state = core::JobState::kQueued;
  std::vector<std::string> tags;
  std::vector<std::string> nodes;   // on which its tasks have run
  std::vector<std::string> checks;  // of its findings
  std::optional<Instant> submitted, started, finished;
  int64_t running_tasks = 0, tasks = 0;
  std::optional<int64_t> gpus;  // granted now; for a job that has ended, the most at one time
  std::optional<JobProgress> progress;
  std::optional<double> goodput;  // from 0 to 1
  std::optional<int64_t> findings;
  std::optional<advice::Severity> severity;  // the highest of its findings
  std::optional<double> cost;
  std::string currency;
  std::string status_json;  // as in `howdah list --json` (journal::ToJson)
  friend bool operator==(const JobRow&, const JobRow&) = default;
};

// Identifies a job. A history of TonY has ids of the same form as YARN.
struct JobKey {
  std::string backend, id;
  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

// The time from the start of the job to its end, or to `now`. nullopt before the start.
std::optional<Duration> TookUntil(const JobRow& row, Instant now);

}  // namespace howdah::index::query
