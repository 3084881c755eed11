// Advice on what to change in a job: from facts to findings. Pure. The checks are the rows of one table (table.h), from
// which docs/advice.md is generated.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/advice/facts.h"
#include "howdah/base/time.h"
#include "howdah/jobspec/advice_check.h"

namespace howdah::advice {

enum class Severity { kLow, kModerate, kSevere, kCritical };
std::string_view ToText(Severity severity);  // "low"

// A change of the job file, or of something else.
struct Change {
  // Keys as paths ("roles.worker.memory") and their new values as YAML. The values replace those of the job file.
  std::vector<std::pair<std::string, std::string>> keys = {};
  std::string other = {};  // what to change outside of the job file; a clause
  // For jobs of `howdah tony`: the same as `keys`, in the form of its flag -conf ("tony.worker.memory=2g"). Empty if
  // TonY lacks one of the keys.
  std::vector<std::string> tony = {};

  // Formats the keys as a part of a job file, in several lines.
  std::string Yaml() const;
  // Returns the arguments of --set, such as "roles.worker.memory=2GiB".
  std::vector<std::string> Sets() const;
  friend bool operator==(const Change&, const Change&) = default;
};

struct Finding {
  jobspec::AdviceCheck check = jobspec::AdviceCheck::kMemoryOver;
  Severity severity = Severity::kLow;
  std::string role = {}, task = {};        // empty: the finding is about the whole job
  std::string text = {};                   // one sentence with figures
  std::vector<std::string> evidence = {};  // measured figures, and where they come from
  Change change = {};
  Amounts saving = {};           // saving per run; all 0: not known
  Amounts saving_per_week = {};  // saving per week at the rate of the last 30 days
  int runs = 1;                  // runs of the job's name that have this finding, including this run
  bool certain = false;          // confidence is high: at least three runs agree
  friend bool operator==(const Finding&, const Finding&) = default;
};

// Most checks need a run of at least this length.
inline constexpr Duration kShortestRun = std::chrono::minutes(5);
// The series of a notebook's task: the seconds for which no kernel was busy. Absent if the task has no `python3`.
inline constexpr std::string_view kNotebookIdleSeries = "metric.notebook.idle_seconds";
// The series that the checks use, for the query of Facts::metrics. GPUs are numbered up to 15.
std::vector<std::string> SeriesOfChecks();

// Returns the findings about a job that runs or has ended, the largest saving first. Returns none if there is no
// advice.
std::vector<Finding> Advise(const Facts& facts, Instant now);

// Whether the saving of `a` is larger than that of `b`. Reports list larger savings first.
bool SavesMore(const Finding& a, const Finding& b);

// Returns the facts about this run that the advice on later runs of the same name needs.
RunFacts Summarize(const Facts& facts, Instant now);

// Returns check and role, such as "memory-over worker". Runs agree if they have findings with the same key.
std::string FindingKey(const Finding& finding);

// Whether the job's own advice, which the core records while the job runs, already contains this finding.
bool IsIn(const Finding& finding, std::string_view advice_of_job);

// Formats one JSON object.
std::string ToJson(const Finding& finding);
// Formats several lines for people, without an empty line at the end.
std::string Describe(const Finding& finding);

// The texts about a check in docs/advice.md.
struct CheckHelp {
  jobspec::AdviceCheck check = jobspec::AdviceCheck::kMemoryOver;
  std::string_view examines, why, fix;
};
// One element per check, in the order of the document.
std::vector<CheckHelp> CheckHelps();

// Returns the text of docs/advice.md, generated from the table of checks.
std::string ReferencePage();

}  // namespace howdah::advice
