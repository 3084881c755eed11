#include "howdah/client/goodput.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "howdah/base/bytes.h"
#include "howdah/client/history_source.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::client {
namespace {

using compat::tony::history::Setting;
using journal::Bucket;

// Only a damaged history contains a task that ran longer.
constexpr Duration kLongestTask = std::chrono::days(36'525);

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

std::optional<int64_t> Number(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.empty() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// The resources that TonY requested for each task of a role; nullopt if the settings do not contain them.
std::optional<core::Resources> RequestedByTony(const std::vector<Setting>& settings, const std::string& role) {
  const auto value = [&](const char* name) {
    return compat::tony::history::ValueOf(settings, "tony." + role + "." + name);
  };
  const auto memory = ParseBytes(value("memory"));
  const auto vcores = Number(value("vcores"));
  if (!memory || !vcores) return std::nullopt;
  return core::Resources{*memory, *vcores, Number(value("gpus")).value_or(0)};
}

// Adds the jobs of TonY's history whose ids are not in `seen`.
Status AddTonyJobs(Connection& connection, const GoodputOptions& options, const OnNote& on_note,
                   const std::set<std::string>& seen, GoodputReport& report) {
  HOWDAH_TRY(const TonySettings site, ReadTonySite());
  const std::string root = compat::tony::history::ValueOf(site, "tony.history.location");
  if (root.empty()) return {};
  HOWDAH_TRY(HistorySource source, HistorySource::Open(connection, root, on_note));
  HistoryFilter filter;
  filter.since = options.window.since;
  filter.until = options.window.until;
  HOWDAH_TRY(const auto jobs, source.List(filter));
  for (const PastJob& job : jobs) {
    if (seen.contains(job.view.id)) continue;
    const auto view = source.Status(job);
    const auto settings = source.Configuration(job);
    if (!view.ok()) {
      on_note("skipping " + job.view.id + ": " + view.error().message);
      continue;
    }
    auto counted = CountTonyJob(*view, settings.ok() ? *settings : TonySettings(), options);
    if (counted) report.Add(*counted);
  }
  return {};
}

}  // namespace

std::optional<CountedJob> CountTonyJob(const journal::JobView& view, const std::vector<Setting>& settings,
                                       const GoodputOptions& options) {
  if (!IsIn(view, options.window)) return std::nullopt;
  CountedJob job{.id = view.id, .user = view.user, .name = view.name, .framework = view.framework};
  job.backend = view.on;
  job.queue = compat::tony::history::ValueOf(settings, "tony.yarn.queue");
  job.state = view.state;
  job.known = true;
  job.days[options.days.Of(*view.submitted)];  // counts the job even if it held nothing
  for (const journal::TaskView& task : view.tasks) {
    if (!task.started) continue;
    const auto requested = RequestedByTony(settings, task.role);
    if (!requested) {
      job.known = false;
      break;
    }
    Instant from = *task.started, to = task.finished.value_or(view.finished.value_or(options.now));
    if (options.window.since) from = std::max(from, *options.window.since);
    if (options.window.until) to = std::min(to, *options.window.until);
    to = std::min(to, from + kLongestTask);
    while (from < to) {
      const Instant end = std::min(to, options.days.EndAfter(from));
      job.days[options.days.Of(from)][Bucket::kUseful].held += journal::Over(*requested, end - from);
      from = end;
    }
  }
  return job;
}

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
  std::set<std::string> seen;
  HOWDAH_TRY(const auto backends, Connect(connection));
  for (const Backend& backend : backends) {
    const auto add = [&](const CountedJob& job) {
      seen.insert(job.id);
      report.Add(job);
    };
    const Status read = ReadCountedJobs(*backend.cluster, options, add, on_note);
    if (!read.ok()) HOWDAH_TRY_STATUS(Skip(backends, backend, read.error(), on_note));
  }
  HOWDAH_TRY_STATUS(AddTonyJobs(connection, options, on_note, seen, report));
  return report;
}

}  // namespace howdah::client
