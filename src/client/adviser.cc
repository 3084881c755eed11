#include "howdah/client/adviser.h"

#include <algorithm>

#include "howdah/backend/job_metrics.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::client {
namespace {

using advice::Facts;
using advice::Finding;
using journal::JobView;

constexpr size_t kMostEarlierRuns = 10;
constexpr Duration kMonth = std::chrono::hours(24 * 30);

bool IsSameName(const JobView& a, const JobView& b) { return a.name == b.name && a.user == b.user; }

}  // namespace

void TakeEntry(Facts& facts, const core::JournalEntry& entry) {
  facts.job.Apply(entry);
  facts.ledger.Take(entry);
  facts.trail.Take(entry);
}

Result<Facts> Adviser::FactsOf(const JobView& status, Instant now) {
  const JobId id{status.id};
  Facts facts;
  facts.job = status;
  HOWDAH_TRY(const std::string job_file, cluster_.JobFile(id));
  HOWDAH_TRY(facts.spec, jobspec::ReadEffective(job_file));
  HOWDAH_TRY_STATUS(cluster_.ReadJournal(id, [&](const core::JournalEntry& entry) {
    facts.ledger.Take(entry);
    facts.trail.Take(entry);
  }));
  facts.ledger.AdvanceTo(now);
  return facts;
}

// Returns nullopt for a job without metrics. Such a job is judged by its journal alone.
std::optional<metrics::Table> Adviser::MetricsOf(const JobId& id) {
  metrics::Query query;
  query.series = advice::SeriesOfChecks();
  auto read = cluster_.Metrics(id, query);
  if (!read.ok()) return std::nullopt;
  return std::move(read->table);
}

Result<Facts> Adviser::ReadFacts(const JobId& id, Instant now) {
  HOWDAH_TRY(const JobView status, cluster_.Status(id));
  return FactsOf(status, now);
}

const advice::RunFacts* Adviser::Summary(const JobId& id, Instant now) {
  const auto known = summaries_.find(id.text);
  if (known != summaries_.end()) return &known->second;
  auto facts = ReadFacts(id, now);
  if (!facts.ok()) {
    Note("the earlier run " + id.text + " is not considered: " + facts.error().message);
    return nullptr;
  }
  const auto table = MetricsOf(id);
  facts->metrics = table ? &*table : nullptr;
  return &summaries_.emplace(id.text, advice::Summarize(*facts, now)).first->second;
}

void Adviser::AddEarlier(const Views& all, Facts& facts, Instant now) {
  facts.runs_in_30_days = 1;
  for (const JobView& view : all) {
    const bool is_earlier = view.submitted && facts.job.submitted && *view.submitted < *facts.job.submitted;
    if (view.id == facts.job.id || !is_earlier || !IsSameName(view, facts.job)) continue;
    if (*view.submitted > now - kMonth) ++facts.runs_in_30_days;
    if (!core::IsFinal(view.state) || facts.earlier.size() == kMostEarlierRuns) continue;
    if (const auto* run = Summary(JobId{view.id}, now)) facts.earlier.push_back(*run);
  }
}

Result<std::vector<Finding>> Adviser::AdviseAmong(const Views& all, const JobId& id, Instant now) {
  HOWDAH_TRY(Facts facts, ReadFacts(id, now));
  const auto table = MetricsOf(id);
  facts.metrics = table ? &*table : nullptr;
  AddEarlier(all, facts, now);
  return advice::Advise(facts, now);
}

Result<std::vector<Finding>> Adviser::Advise(const JobId& id, Instant now) {
  HOWDAH_TRY(const Views all, cluster_.List(/*ended_too=*/true));
  return AdviseAmong(all, id, now);
}

std::vector<Finding> Adviser::AdviseBriefly(Facts facts, Instant now) {
  const JobView& job = facts.job;
  const bool is_long = job.started && job.finished.value_or(now) - *job.started >= advice::kShortestRun;
  const auto table = is_long ? MetricsOf(JobId{job.id}) : std::nullopt;
  facts.metrics = table ? &*table : nullptr;
  std::vector<Finding> findings = advice::Advise(facts, now);
  if (findings.empty()) return findings;
  const auto all = cluster_.List(/*ended_too=*/true);
  if (!all.ok()) return findings;
  AddEarlier(*all, facts, now);
  return advice::Advise(facts, now);
}

Result<std::vector<Adviser::OfJob>> Adviser::AdviseAll(const AdviceFilter& filter, Instant now) {
  HOWDAH_TRY(Views all, cluster_.List(/*ended_too=*/true));
  std::vector<OfJob> jobs;
  for (const JobView& view : all) {
    const bool is_recent = !filter.since || !view.finished || *view.finished >= *filter.since;
    if (!is_recent || (!filter.user.empty() && view.user != filter.user)) continue;
    auto findings = AdviseAmong(all, JobId{view.id}, now);
    if (!findings.ok()) {
      Note(view.id + " is not considered: " + findings.error().message);
    } else if (!findings->empty()) {
      jobs.push_back({view, std::move(*findings)});
    }
  }
  return jobs;
}

void Adviser::Note(const std::string& line) const {
  if (on_note_) on_note_(line);
}

}  // namespace howdah::client
