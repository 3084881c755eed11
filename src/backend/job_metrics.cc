#include "howdah/backend/job_metrics.h"

#include <utility>

#include "howdah/rpc/read_metrics.h"

namespace howdah::backend {
namespace {

constexpr Duration kAmLimit = std::chrono::seconds(5);

Error While(const JobId& id, const Error& error) { return error.While("reading the metrics of " + id.text); }

}  // namespace

Result<JobMetrics> ReadStoredMetrics(const JobId& id, const OpenMetricsFile& open, const metrics::Query& query) {
  auto found = open();
  if (!found.ok() && found.error().code == ErrorCode::kNotFound) {
    return Error::WithRemedy(ErrorCode::kNotFound, id.text + " has no metrics",
                             "jobs have metrics unless `metrics: {interval: 0s}` is in the job file, their tasks ended "
                             "before the first sample, or they ran with an older version of Howdah");
  }
  if (!found.ok()) return While(id, found.error());
  const auto file = metrics::Open(std::move(found->read));
  if (!file.ok()) return While(id, file.error().While("the file cannot be used"));
  JobMetrics answer;
  std::string problem;
  auto table = file->Read(query, &problem);
  if (!table.ok()) return While(id, table.error().While("the file cannot be used"));
  answer.table = std::move(*table);
  answer.stored = found->written;
  if (!problem.empty()) answer.note = "a part of the metrics cannot be read: " + problem;
  return answer;
}

Result<JobMetrics> ReadRunningMetrics(const JobId& id, const Result<rpc::AmContact>& am, const OpenMetricsFile& open,
                                      const metrics::Query& query) {
  auto table = am.ok() ? rpc::ReadMetrics(*am, query, kAmLimit) : Result<metrics::Table>(am.error());
  if (table.ok()) return JobMetrics{std::move(*table), std::nullopt, ""};
  const Error& why = table.error();
  if (why.code != ErrorCode::kUnavailable && why.code != ErrorCode::kTimeout) return While(id, why);
  auto stored = ReadStoredMetrics(id, open, query);
  if (!stored.ok() && stored.error().code == ErrorCode::kNotFound) return While(id, why);
  if (!stored.ok()) return stored;
  const std::string note =
      "the application master does not answer (" + why.message + "); these are the metrics that " + "it has stored";
  stored->note = note + (stored->note.empty() ? "" : "; " + stored->note);
  return stored;
}

}  // namespace howdah::backend
