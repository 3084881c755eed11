// Progress as the processes of a task report it (docs/checkpoints.md), what counts as activity, and the limits
// that follow. Pure functions, used by the core and by executors.
#pragma once

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
  };
  Kind kind = Kind::kStep;
  int64_t step = 0;
  friend bool operator==(const ProgressLine&, const ProgressLine&) = default;
};
// nullopt: another line. Blanks around the words are ignored; steps are whole numbers of at most 18 digits.
std::optional<ProgressLine> ParseProgressLine(std::string_view line);

// The longest that a stop with the job's own grace may take: until then each "checkpointing" restarts the grace. A
// grace that a user has asked for is not extended.
Duration LongestGrace(const jobspec::Checkpoint& checkpoint);

// How long a task of the role may show no activity; none: no limit. Services and sidecars are idle by nature, and have
// a limit only if their role sets one.
std::optional<Duration> ProgressLimit(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

// The last activity of an attempt, by kind; nullopt: none.
struct ActivityTimes {
  Instant started;
  std::optional<Instant> progress;  // any line of HOWDAH_PROGRESS
  std::optional<Instant> output, cpu, gpu;
};
struct Activity {
  Instant at;
  std::string_view what;  // a noun: "output"
};
// The newest activity that counts. A rank that waits for a lost one in a collective may use a whole core, or repeat a
// warning: once an attempt reports progress, only progress counts.
Activity NewestActivity(const ActivityTimes& signs);
// Whether this CPU time is activity: more than an idle interpreter's timers use.
bool IsBusy(double cpu_seconds, Duration during);

// How long sampling the stacks of an attempt may take before it is stopped.
inline constexpr Duration kProbeLimit = std::chrono::seconds(3);

// The pause after the nth (from 1) journal entry about a task's progress. It grows with n and with the number of tasks,
// so that the journal of a week stays small.
Duration PauseAfterProgress(int nth, int tasks);

}  // namespace howdah::core
