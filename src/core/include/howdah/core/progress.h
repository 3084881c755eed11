// The progress that the processes of a task report (docs/checkpoints.md), the definition of activity, and the limits
// for both. Pure functions, used by the core and by executors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// A line of the file HOWDAH_PROGRESS.
struct ProgressLine {
  enum class Kind {
    kStep,        // "step 120": the last finished step
    kCheckpoint,  // "checkpoint 100": a checkpoint of step 100 is complete
    kSaving,      // "checkpointing": a checkpoint is being written
    kSteps,       // "steps 1000": the number of steps until the end of the program
    kInput,       // "input 12.5": how long the process has waited for input so far, in seconds
    kMetric,      // "metric loss 0.25": a value that the program measures, at the newest step
  };
  Kind kind = Kind::kStep;
  int64_t step = 0;         // kStep, kCheckpoint, kSteps
  double value = 0;         // kInput, kMetric; may be NaN or infinite for kMetric
  std::string_view name{};  // kMetric; refers to the parsed line
  friend bool operator==(const ProgressLine&, const ProgressLine&) = default;
};
// Returns nullopt for any other line. Blanks around the words are ignored. Steps are whole numbers of at most 18
// digits. The name of a metric has 1 to 64 characters of [A-Za-z0-9_./-].
std::optional<ProgressLine> ParseProgressLine(std::string_view line);
inline constexpr size_t kLongestMetricName = 64;

// The longest time that a stop with the job's own grace may take. Each "checkpointing" line before that time restarts
// the grace. A grace that a user requested is not extended.
Duration LongestGrace(const jobspec::Checkpoint& checkpoint);

// How long a task of the role may show no activity; nullopt means no limit. Services and sidecars are often idle, so
// they have a limit only if their role sets one.
std::optional<Duration> ProgressLimit(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

// The time of an attempt's last activity, by kind; nullopt if there was none of that kind.
struct ActivityTimes {
  Instant started;
  std::optional<Instant> progress;  // any line of HOWDAH_PROGRESS
  std::optional<Instant> output, cpu, gpu;
};
struct Activity {
  Instant at;
  std::string_view what;  // a noun: "output"
};
// The newest activity that counts. Once an attempt has reported progress, only progress counts: a rank that waits in a
// collective for a lost rank may use a whole core, or repeat a warning.
Activity NewestActivity(const ActivityTimes& times);
// Whether the CPU time counts as activity, because it exceeds that of the timers of an idle interpreter.
bool IsBusy(double cpu_seconds, Duration during);

// The time limit for sampling the stacks of an attempt before a stop.
inline constexpr Duration kProbeLimit = std::chrono::seconds(3);

// The pause after the nth (from 1) journal entry about a task's progress. It grows with n and with the number of tasks,
// so that the journal of a week stays small.
Duration PauseAfterProgress(int nth, int tasks);

}  // namespace howdah::core
