#include "howdah/client/goodput.h"

#include <utility>

#include "howdah/jobspec/job_file.h"

namespace howdah::client {
namespace {

// Adds the fields that only the job file contains, if the report needs them.
void AddJobFile(const Job& job, const GoodputOptions& options, CountedJob& counted, const OnNote& on_note) {
  if (options.by != GroupBy::kQueue && options.by != GroupBy::kTag) return;
  const auto text = job.cluster->JobFile(job.id);
  const auto spec = text.ok() ? jobspec::ReadEffective(*text) : Result<jobspec::JobSpec>(text.error());
  if (!spec.ok()) {
    on_note("the queue and the tags of " + job.id.text + " are not known: " + spec.error().message);
    return;
  }
  counted.queue = spec->queue;
  counted.tags = spec->tags;
}

// Whether a part of the job's life is in the window.
bool IsIn(const journal::JobView& view, const journal::Window& window) {
  if (!view.submitted || (window.until && *view.submitted >= *window.until)) return false;
  return !window.since || !view.finished || *view.finished >= *window.since;
}

Result<std::optional<CountedJob>> ReadJob(const Job& job, const GoodputOptions& options, const OnNote& on_note) {
  journal::Ledger ledger(options.days, options.window);
  HOWDAH_TRY_STATUS(job.cluster->ReadJournal(job.id, [&](const core::JournalEntry& entry) { ledger.Take(entry); }));
  ledger.AdvanceTo(options.now);
  if (!IsIn(ledger.job(), options.window)) return std::optional<CountedJob>();
  CountedJob counted = CountedJobOf(ledger);
  AddJobFile(job, options, counted, on_note);
  return std::optional<CountedJob>(std::move(counted));
}

}  // namespace

Result<CountedJob> ReadJobForGoodput(const Job& job, const GoodputOptions& options, const OnNote& on_note) {
  GoodputOptions whole = options;
  whole.window = {};
  HOWDAH_TRY(auto counted, ReadJob(job, whole, on_note));
  if (!counted)
    return Failed("the journal of " + job.id.text + " has no beginning, so nothing can be computed from it");
  return std::move(*counted);
}

Status ReadCountedJobs(backend::Cluster& cluster, const GoodputOptions& options,
                       const std::function<void(CountedJob)>& on_job, const OnNote& on_note) {
  HOWDAH_TRY(const auto ids, cluster.Jobs(options.window.since));
  for (const JobId& id : ids) {
    auto job = ReadJob({&cluster, id}, options, on_note);
    if (!job.ok()) on_note("skipping " + id.text + ": " + job.error().message);
    if (job.ok() && *job) on_job(std::move(**job));
  }
  return {};
}

Result<GoodputReport> ReadGoodput(Connection& connection, const GoodputOptions& options, const OnNote& on_note) {
  GoodputReport report(options.by);
  HOWDAH_TRY(const auto backends, ConnectWithHistory(connection));
  for (const Backend& backend : backends) {
    const auto add = [&](const CountedJob& job) { report.Add(job); };
    const Status read = ReadCountedJobs(*backend.cluster, options, add, on_note);
    if (!read.ok()) HOWDAH_TRY_STATUS(Skip(backends, backend, read.error(), on_note));
  }
  return report;
}

}  // namespace howdah::client
