// The metrics of a job, from its AM or from its file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/metrics/file.h"
#include "howdah/metrics/table.h"
#include "howdah/rpc/identity.h"

namespace howdah::backend {

struct JobMetrics {
  metrics::Table table;
  // When the file with these metrics was written. Set only if the job is running and its AM did not answer.
  std::optional<Instant> stored;
  // Explains to users why the metrics are outdated or incomplete. Empty if they are neither.
  std::string note;
};

// The file with a job's metrics.
struct MetricsFile {
  metrics::ReadBytes read;
  std::optional<Instant> written;
};
// Returns kNotFound if the job has no such file.
using OpenMetricsFile = std::function<Result<MetricsFile>()>;

// Reads the metrics of a job that has ended. Returns kNotFound if none are stored.
Result<JobMetrics> ReadStoredMetrics(const JobId& id, const OpenMetricsFile& open, const metrics::Query& query);
// Reads the metrics of a running job from its AM. If the AM does not answer within a few seconds, reads them from the
// file.
Result<JobMetrics> ReadRunningMetrics(const JobId& id, const Result<rpc::AmContact>& am, const OpenMetricsFile& open,
                                      const metrics::Query& query);

}  // namespace howdah::backend
