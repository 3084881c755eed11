#include "job_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "howdah/backend/job_metrics.h"
#include "howdah/base/text.h"
#include "howdah/client/adviser.h"
#include "howdah/client/goodput_json.h"
#include "howdah/jobspec/job_file.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

using index::query::JobProgress;

constexpr Duration kExaminedFor = std::chrono::hours(24 * 30);  // after the end of the job

std::optional<int64_t> GpusOf(const advice::Facts& facts, bool has_spec) {
  int64_t gpus = 0;
  for (const journal::TaskView& task : facts.job.tasks) {
    const auto role = std::find_if(facts.spec.roles.begin(), facts.spec.roles.end(),
                                   [&](const jobspec::RoleSpec& each) { return each.name == task.role; });
    if (task.granted) {
      gpus += task.granted->gpus;
    } else if (has_spec && role != facts.spec.roles.end()) {
      gpus += role->gpus;
    } else {
      return std::nullopt;
    }
  }
  return gpus;
}

// The job is as far as its slowest task. Its rate is that of the median task.
std::optional<JobProgress> ProgressOf(const advice::Facts& facts) {
  JobProgress progress;
  for (const journal::TaskView& task : facts.job.tasks) {
    if (!task.progress) continue;
    const core::TaskProgress& reported = *task.progress;
    if (reported.step) progress.step = std::min(progress.step.value_or(*reported.step), *reported.step);
    if (reported.steps) progress.steps = std::max(progress.steps.value_or(0), *reported.steps);
    progress.at = std::max(progress.at.value_or(reported.at), reported.at);
  }
  if (!progress.step) return std::nullopt;
  std::vector<double> rates;
  for (const auto& [role, of_role] : facts.trail.StepRates()) rates.insert(rates.end(), of_role.begin(), of_role.end());
  if (!rates.empty()) {
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::nth_element(rates.begin(), middle, rates.end());
    progress.steps_per_second = *middle;
  }
  return progress;
}

std::optional<double> CostOf(const journal::Ledger& ledger, const Prices& prices) {
  if (!prices) return std::nullopt;
  client::GoodputReport report(client::GroupBy::kJob);
  report.Add(client::CountedJobOf(ledger));
  return report.total().Cost(*prices);
}

void AddFindings(const std::vector<advice::Finding>& findings, JobRow& row) {
  std::set<std::string> checks;
  for (const advice::Finding& finding : findings) {
    row.severity = std::max(row.severity.value_or(finding.severity), finding.severity);
    checks.emplace(jobspec::ToText(finding.check));
  }
  row.findings = static_cast<int64_t>(findings.size());
  row.checks.assign(checks.begin(), checks.end());
}

// The findings that follow from the job alone. Earlier runs of its name are not read.
std::vector<advice::Finding> Examine(backend::Cluster& cluster, const JobId& id, advice::Facts facts, Instant now) {
  std::optional<metrics::Table> table;
  const bool is_long =
      facts.job.started && facts.job.finished.value_or(now) - *facts.job.started >= advice::kShortestRun;
  if (is_long) {
    metrics::Query query;
    query.series = advice::SeriesOfChecks();
    if (auto read = cluster.Metrics(id, query); read.ok()) table = std::move(read->table);
  }
  facts.metrics = table ? &*table : nullptr;
  return advice::Advise(facts, now);
}

Json ProgressJson(const std::optional<JobProgress>& progress) {
  if (!progress) return nullptr;
  return {{"step", OrNull(progress->step)},
          {"steps", OrNull(progress->steps)},
          {"steps_per_second", OrNull(progress->steps_per_second)},
          {"at", OrNull(progress->at)}};
}

Json ExtraFields(const JobRow& row, Instant now) {
  const auto took = TookUntil(row, now);
  return {{"user", OrNull(row.user)},
          {"queue", OrNull(row.queue)},
          {"tags", row.tags},
          {"gpus", OrNull(row.gpus)},
          {"took_seconds", took ? Json(Seconds(*took)) : Json(nullptr)},
          {"progress", ProgressJson(row.progress)},
          {"goodput", OrNull(row.goodput)},
          {"severity", row.severity ? Json(advice::ToText(*row.severity)) : Json(nullptr)},
          {"findings", OrNull(row.findings)},
          {"cost", OrNull(row.cost)},
          {"currency", OrNull(row.currency)}};
}

}  // namespace

JobRow RowOf(const advice::Facts& facts, bool has_spec, const Prices& prices) {
  const journal::JobView& job = facts.job;
  JobRow row{.id = job.id,
             .name = job.name,
             .user = job.user,
             .backend = job.on,
             .framework = job.framework,
             .reason = job.reason,
             .state = job.state,
             .submitted = job.submitted,
             .started = job.started,
             .finished = job.finished,
             .tasks = static_cast<int64_t>(job.tasks.size())};
  if (has_spec) {
    row.queue = facts.spec.queue;
    row.tags = facts.spec.tags;
  }
  row.nodes.assign(facts.trail.nodes().begin(), facts.trail.nodes().end());
  row.running_tasks = std::count_if(job.tasks.begin(), job.tasks.end(), [](const journal::TaskView& task) {
    return task.state == core::TaskState::kRunning;
  });
  row.gpus = GpusOf(facts, has_spec);
  row.progress = ProgressOf(facts);
  if (facts.ledger.knows_buckets())
    row.goodput = journal::Goodput(facts.ledger.Of(journal::Bucket::kUseful), facts.ledger.Total());
  row.cost = CostOf(facts.ledger, prices);
  if (prices) row.currency = prices->currency;
  row.status_json = journal::ToJson(job, /*with_tasks=*/false);
  return row;
}

Result<advice::Facts> ReadFacts(const JobId& id, const JobReads& reads, Instant now) {
  std::optional<journal::JobView> ended;
  while (true) {
    advice::Facts facts;
    HOWDAH_TRY_STATUS(reads.journal([&](const core::JournalEntry& entry) { client::TakeEntry(facts, entry); }));
    if (facts.job.id != id.text)
      return Error{ErrorCode::kNotFound, "the journal of " + id.text + " has no valid first line"};
    if (core::IsFinal(facts.job.state)) return facts;
    if (!ended) {
      // The backend adds what a job waits for that has no AM yet.
      auto status = reads.status();
      if (status.ok() && core::IsFinal(status->state)) {
        ended = std::move(*status);
        continue;
      }
      if (status.ok()) facts.job = std::move(*status);
      facts.ledger.AdvanceTo(now);
      return facts;
    }
    // The AM of the job died before it could write the final state.
    facts.job = std::move(*ended);
    facts.ledger.AdvanceTo(facts.job.finished.value_or(now));
    return facts;
  }
}

Result<JobRow> ReadRow(backend::Cluster& cluster, const JobId& id, const Prices& prices, Instant now) {
  const JobReads reads{.journal = [&](const auto& on_entry) { return cluster.ReadJournal(id, on_entry); },
                       .status = [&] { return cluster.Status(id); }};
  HOWDAH_TRY(advice::Facts facts, ReadFacts(id, reads, now));
  bool has_spec = false;
  if (const auto text = cluster.JobFile(id); text.ok()) {
    if (auto spec = jobspec::ReadEffective(*text); spec.ok()) facts.spec = std::move(*spec), has_spec = true;
  }
  JobRow row = RowOf(facts, has_spec, prices);
  const bool is_recent = !facts.job.finished || *facts.job.finished > now - kExaminedFor;
  if (has_spec && is_recent) AddFindings(Examine(cluster, id, std::move(facts), now), row);
  return row;
}

std::string CostsKey(const Prices& prices) {
  if (!prices) return "";
  const auto key = [](const jobspec::HardwarePrice& price) {
    return Json{OrNull(price.vcore_hour), OrNull(price.gib_hour), OrNull(price.gpu_hour)};
  };
  Json json = {{"currency", prices->currency}, {"usual", key(prices->usual)}};
  for (const auto& [label, price] : prices->labels) json["labels"][label] = key(price);
  return Dump(json);
}

std::string ExtraFieldsJson(const JobRow& row, Instant now) { return Dump(ExtraFields(row, now)); }

std::string RowJson(const JobRow& row, Instant now) {
  Json fields = ExtraFields(row, now);
  fields["tasks"] = {{"running", row.running_tasks}, {"total", row.tasks}};
  return JoinObjects(row.status_json, Dump(fields));
}

std::string RowCsvTitles() {
  return "id,name,state,user,queue,backend,framework,tags,submitted,started,finished,took_seconds,tasks,gpus,step,"
         "steps,goodput,severity,findings,cost,currency,reason\n";
}

std::string RowCsv(const JobRow& row, Instant now) {
  const auto number = [](const auto& value) { return value ? Json(*value).dump() : std::string(); };
  const auto time = [](const std::optional<Instant>& at) { return at ? FormatInstant(*at) : std::string(); };
  const auto took = TookUntil(row, now);
  const JobProgress progress = row.progress.value_or(JobProgress());
  const std::string fields[] = {row.id,
                                row.name,
                                std::string(core::ToText(row.state)),
                                row.user,
                                row.queue,
                                row.backend,
                                row.framework,
                                Join(row.tags, " "),
                                time(row.submitted),
                                time(row.started),
                                time(row.finished),
                                took ? Json(Seconds(*took)).dump() : "",
                                std::to_string(row.tasks),
                                number(row.gpus),
                                number(progress.step),
                                number(progress.steps),
                                number(row.goodput),
                                row.severity ? std::string(advice::ToText(*row.severity)) : "",
                                number(row.findings),
                                number(row.cost),
                                row.currency,
                                row.reason};
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : ",") + client::CsvField(Shown(field));
  return line + "\n";
}

}  // namespace howdah::portal
