// `howdah history metrics` for a job of Howdah.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli::commands {

struct MetricsArguments {
  std::string task;  // "worker", "worker:3", or "" for all tasks
  std::vector<std::string> series;
  std::optional<int64_t> points;
  bool csv = false, json = false;

  // Whether an argument selects or formats time series. Such an argument is an error for a job of TonY, whose metrics
  // have one value each.
  bool of_series() const { return !task.empty() || !series.empty() || points || csv; }
};

// Prints the metrics of a running or ended job.
Result<int> ShowMetrics(backend::Cluster& cluster, const journal::JobView& job, const MetricsArguments& arguments);

}  // namespace howdah::cli::commands
