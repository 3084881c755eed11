// The changes that the core records: the journal. Status, history and events are folds over it, so that a change here
// is a change of a file format: append, never rename, never change a meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/base/time.h"
#include "howdah/core/states.h"

namespace howdah::core {

// The job was accepted. The client writes it as the journal's first line; the core never emits it.
struct JobSubmitted {
  struct Role {
    std::string name;
    int instances = 0;
    friend bool operator==(const Role&, const Role&) = default;
  };
  std::string id, name, on, framework;
  std::string user, host;
  std::vector<Role> roles;  // in the order of the file
  friend bool operator==(const JobSubmitted&, const JobSubmitted&) = default;
};

// Something about the job as a whole. Fields that are not set keep what they were; an empty reason or advice clears it.
struct JobChanged {
  enum class Type { kAmStarted, kWaiting, kRunning, kRecovering, kStopRequested, kStopping, kTensorboard, kFinished };
  Type type = Type::kRunning;
  std::optional<JobState> state;
  std::optional<int> generation;
  std::optional<int> am_attempt;
  std::optional<std::string> reason, advice;
  std::optional<int> exit_code;  // of the job: 0 1 3 4, with kFinished
  std::optional<std::string> tracking_url, tensorboard_url;
  friend bool operator==(const JobChanged&, const JobChanged&) = default;
};

// Use of a task's GPUs, over all of them and all samples. Shares, 0..1.
struct GpuUse {
  double utilisation_average = 0;
  double utilisation_peak = 0;
  double memory_average = 0;  // used share of the GPU's memory; 0: not known
  double memory_peak = 0;
  friend bool operator==(const GpuUse&, const GpuUse&) = default;
};

// A task's use of its machine, over all its attempts.
struct Usage {
  int64_t memory_bytes = 0;       // now
  int64_t memory_peak_bytes = 0;  // the highest sample
  double cpu_seconds = 0;
  int64_t memory_average_bytes = 0;  // of the samples while an attempt ran; 0: no sample
  std::optional<GpuUse> gpu = {};    // nullopt: no GPU, or no sample of it
  friend bool operator==(const Usage&, const Usage&) = default;
};

// How far an attempt is, as its processes report (howdah/core/progress.h): the lowest step of all processes.
struct TaskProgress {
  std::optional<int64_t> step;
  std::optional<int64_t> checkpoint;  // the step of the newest checkpoint that is complete
  std::optional<Instant> checkpoint_at;
  Instant at;  // of the newest of these reports
  friend bool operator==(const TaskProgress&, const TaskProgress&) = default;
};
// "step 120, checkpoint 100"; empty: neither was reported.
std::string ToText(const TaskProgress& progress);

// Something about one task. Fields that are not set keep what they were, but a new attempt clears pids, exit, times,
// reason.
struct TaskChanged {
  enum class Type {
    kPending,       // created (also by scaling), or wants a container again
    kAllocated,     // container, node
    kReady,         // endpoint
    kStarted,       // attempt, generation, pids, ranks, started
    kExited,        // an attempt ended by itself: exit, reason, finished; state FAILED, SUCCEEDED, or PENDING.. if it
                    // restarts
    kLost,          // its container is gone
    kStopped,       // ended because its job ended or it was scaled away
    kRemoved,       // scaled away: after kStopped
    kProgressed,    // its attempt goes on: progress. Not every report: as rarely as PauseAfterProgress says
    kHung,          // its attempt shows no activity any more: reason
    kStackSampled,  // its attempt is stopped because others hang: reason, where its processes were
    kRejoined,      // its attempt goes on in another generation without a restart: generation, ranks
  };
  Type type = Type::kPending;
  std::string role;
  int index = 0;
  TaskState state = TaskState::kPending;
  int attempt = 0;
  std::optional<int> generation;
  std::optional<std::string> node, container, host;
  std::optional<int> port;
  std::optional<std::vector<int>> ranks, pids;
  std::optional<ExitStatus> exit;
  std::optional<std::string> reason, advice;
  std::optional<Instant> started, finished;
  std::optional<Usage> usage;            // when an attempt has ended
  std::optional<TaskProgress> progress;  // with kProgressed, and when an attempt has ended
  friend bool operator==(const TaskChanged&, const TaskChanged&) = default;
};

struct RoleScaled {
  std::string role;
  int from = 0, to = 0;
  std::string by;
  friend bool operator==(const RoleScaled&, const RoleScaled&) = default;
};

using Change = std::variant<JobSubmitted, JobChanged, TaskChanged, RoleScaled>;

struct JournalEntry {
  Instant time;
  Change change;
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

}  // namespace howdah::core
