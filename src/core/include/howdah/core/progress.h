// What the processes of a task say of their progress (docs/checkpoints.md), what counts as a sign of life, and the
// limits that follow from either. Policies: pure functions, used by the core and by executors alike.
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
    kStep,        // "step 120": the step that was done last
    kCheckpoint,  // "checkpoint 100": a checkpoint of step 100 is complete
    kSaving,      // "checkpointing": a checkpoint is being written
  };
  Kind kind = Kind::kStep;
  int64_t step = 0;
  friend bool operator==(const ProgressLine&, const ProgressLine&) = default;
};
// nullopt: it is none of these. Blanks around the words do not matter; steps are whole numbers of at most 18 digits.
std::optional<ProgressLine> ParseProgressLine(std::string_view line);

// The longest that a stop with the job's own grace may take: each "checkpointing" gives the grace anew until then. A
// grace that somebody asked for himself is not extended.
Duration LongestGrace(const jobspec::Checkpoint& checkpoint);

// For how long a task of the role may be without a sign of life; none: for ever. Services and sidecars wait for others
// by nature, and have a limit only of their own.
std::optional<Duration> ProgressLimit(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

// When an attempt last showed that it is alive, by kind; nullopt: never.
struct ActivityTimes {
  Instant started;
  std::optional<Instant> progress;  // any line of HOWDAH_PROGRESS
  std::optional<Instant> output, cpu, gpu;
};
struct Activity {
  Instant at;
  std::string_view what;  // a noun: "output"
};
// The newest that counts. A rank that waits for a lost one in a collective may use all of a core, or repeat a warning:
// of an attempt that reports its progress, nothing else counts.
Activity NewestActivity(const ActivityTimes& signs);
// Whether the CPU time used in so long is a sign of life: more than what an idle interpreter's timers take.
bool IsBusy(double cpu_seconds, Duration during);

// How long it may take to see where the processes of an attempt stand before it is stopped.
inline constexpr Duration kProbeLimit = std::chrono::seconds(3);

// How long to wait after the nth (from 1) journal entry about a task's progress before the next: rarer and rarer, so
// that the journal of a week stays small; rarer, too, the more tasks the job has.
Duration PauseAfterProgress(int nth, int tasks);

}  // namespace howdah::core
