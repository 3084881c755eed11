// The rules that hold for all checks: when a finding is reported, its order, and how certain it is.
#include <algorithm>
#include <set>

#include "howdah/advice/advice.h"
#include "howdah/jobspec/setting.h"
#include "table.h"

namespace howdah::advice {
namespace {

constexpr double kSmallestShare = 0.02;
constexpr int kCertainRuns = 3;

const Check& RowOf(AdviceCheck check) { return Table()[static_cast<size_t>(check)]; }

// Whether the saving is a significant share of the whole, and at least `least`.
bool Matters(double saving, double whole, double least) { return saving >= least && saving >= kSmallestShare * whole; }

bool IsWorthIt(const Amounts& saving, const Amounts& held) {
  constexpr double kGpuHours = 0.1, kGibHours = 1, kVcoreHours = 1, kFiveMinutes = 5.0 / 60;
  return Matters(saving.gpu_hours, held.gpu_hours, kGpuHours) ||
         Matters(saving.memory_gib_hours, held.memory_gib_hours, kGibHours) ||
         Matters(saving.vcore_hours, held.vcore_hours, kVcoreHours) || Matters(saving.hours, held.hours, kFiveMinutes);
}

// The weights are typical prices, so that GPU hours count more than vcore hours. Only the order depends on them.
double Worth(const Amounts& amounts) {
  return amounts.gpu_hours + amounts.vcore_hours / 50 + amounts.memory_gib_hours / 250 + amounts.hours / 100;
}

bool IsReported(const Check& check, const Finding& finding, const Figures& figures) {
  const bool may_be_unknown = check.needs.risk || check.needs.unknown_saving;
  if (check.needs.harm || (may_be_unknown && finding.saving == Amounts())) return true;
  return IsWorthIt(finding.saving, figures.held());
}

// Findings about different roles have different causes.
bool SameCause(const Finding& a, const Finding& b) { return a.role.empty() || b.role.empty() || a.role == b.role; }

bool IsSilenced(const Finding& finding, const std::vector<Finding>& all) {
  const auto& silenced_by = RowOf(finding.check).silenced_by;
  return std::any_of(all.begin(), all.end(), [&](const Finding& other) {
    const bool listed = std::find(silenced_by.begin(), silenced_by.end(), other.check) != silenced_by.end();
    return listed && SameCause(finding, other);
  });
}

void Replace(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

// Writes the keys of a job of `howdah tony` as TonY's keys.
void UseTonysKeys(const jobspec::JobSpec& spec, Finding& finding) {
  Change& change = finding.change;
  if (!spec.tony_env || change.keys.empty()) return;
  for (const auto& [path, value] : change.keys) {
    const auto tony = jobspec::TonySetting(spec, path, value);
    if (!tony) continue;
    const std::string setting = "`" + path.substr(path.rfind('.') + 1) + ": " + value + "`";
    for (std::string* text : {&finding.text, &change.other}) Replace(*text, setting, "`" + *tony + "`");
    change.tony.push_back(*tony);
  }
  if (change.tony.size() == change.keys.size()) return;
  change.tony.clear();
  change.other += (change.other.empty() ? "" : "; ") +
                  std::string("`howdah tony ... -print-job` writes a job file, because TonY has no such key");
}

}  // namespace

std::vector<std::string> SeriesOfChecks() {
  constexpr int kMostGpus = 16;
  std::vector<std::string> series = {"cpu_cores",       "cpu_throttled",   "cpu_pressure",    "io_pressure",
                                     "memory_pressure", "threads",         "memory_bytes",    "gpu_util",
                                     "gpu_memory",      "gpu_throttled",   "step_s",          "input_wait",
                                     "shm_bytes",       "stdout_bytes",    "stderr_bytes",    "net_rx",
                                     "net_tx",          "datanodes_local", "datanodes_remote"};
  series.emplace_back(kNotebookIdleSeries);
  for (int gpu = 0; gpu < kMostGpus; ++gpu) {
    for (const char* what : {"_util", "_memory"}) series.push_back("gpu" + std::to_string(gpu) + what);
  }
  return series;
}

std::string FindingKey(const Finding& finding) {
  return std::string(jobspec::ToText(finding.check)) + (finding.role.empty() ? "" : " " + finding.role);
}

bool SavesMore(const Finding& a, const Finding& b) {
  const double left = Worth(a.saving), right = Worth(b.saving);
  return left != right ? left > right : a.severity > b.severity;
}

std::vector<Finding> Advise(const Facts& facts, Instant now) {
  const Figures figures(facts, now);
  const auto& off = facts.spec.advice_off;
  std::vector<Finding> findings;
  for (const Check& check : Table()) {
    if (std::find(off.begin(), off.end(), check.name) != off.end()) continue;
    if (!check.needs.no_series && figures.ran() < kShortestRun) continue;
    for (Finding& finding : check.find(figures)) {
      finding.check = check.name;
      if (IsReported(check, finding, figures)) findings.push_back(std::move(finding));
    }
  }
  const std::vector<Finding> all = findings;
  std::erase_if(findings, [&](const Finding& finding) { return IsSilenced(finding, all); });
  for (Finding& finding : findings) {
    finding.runs =
        1 + static_cast<int>(std::count_if(facts.earlier.begin(), facts.earlier.end(), [&](const RunFacts& run) {
          return run.findings.contains(FindingKey(finding));
        }));
    finding.certain = finding.runs >= kCertainRuns;
    finding.saving_per_week = Multiplied(finding.saving, facts.runs_in_30_days * 7.0 / 30);
    UseTonysKeys(facts.spec, finding);
  }
  std::stable_sort(findings.begin(), findings.end(), SavesMore);
  return findings;
}

RunFacts Summarize(const Facts& facts, Instant now) {
  RunFacts run = Figures(facts, now).own();
  for (const Finding& finding : Advise(facts, now)) run.findings.insert(FindingKey(finding));
  return run;
}

bool IsIn(const Finding& finding, std::string_view advice_of_job) {
  const std::string_view words = RowOf(finding.check).words_of_core;
  if (words.empty() || advice_of_job.find(words) == std::string_view::npos) return false;
  if (finding.check == AdviceCheck::kNode) return advice_of_job.find(finding.text) != std::string_view::npos;
  const bool of_role = advice_of_job.find(finding.role + ":") != std::string_view::npos;
  return of_role && (finding.task.empty() || advice_of_job.find(finding.task + " ") != std::string_view::npos);
}

}  // namespace howdah::advice
