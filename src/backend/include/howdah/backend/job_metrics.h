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
  // For a job that runs and whose AM did not answer: when the file with these metrics was written.
  std::optional<Instant> stored;
  // For people: why the metrics are not the newest, or not complete. Empty: they are.
  std::string note;
};

// The file with a job's metrics.
struct MetricsFile {
  metrics::ReadBytes read;
  std::optional<Instant> written;
};
// Returns kNotFound if the job has no such file.
using OpenMetricsFile = std::function<Result<MetricsFile>()>;

// Reads the metrics of a job that has ended. kNotFound: none are kept.
Result<JobMetrics> ReadStoredMetrics(const JobId& id, const OpenMetricsFile& open, const metrics::Query& query);
// Reads the metrics of a running job. If the AM does not answer within a few seconds, the file is read.
Result<JobMetrics> ReadRunningMetrics(const JobId& id, const Result<rpc::AmContact>& am, const OpenMetricsFile& open,
                                      const metrics::Query& query);

}  // namespace howdah::backend
