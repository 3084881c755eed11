// The changes that the core records. Their sequence is the journal. Status, history and events are computed from the
// journal, so these types are a file format: append new fields, but never rename a field or change its meaning.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/base/boxed.h"
#include "howdah/base/exit_status.h"
#include "howdah/base/time.h"
#include "howdah/core/cause.h"
#include "howdah/core/states.h"

namespace howdah::core {

// The job was accepted. The client writes this change as the journal's first line (howdah/core/submission.h); the core
// never emits it.
struct JobSubmitted {
  struct Role {
    std::string name;
    int instances = 0;
    bool later = false;  // its tasks request containers only after other roles have finished
    friend bool operator==(const Role&, const Role&) = default;
  };
  std::string id, name, on, framework;
  std::string user, host;
  std::vector<Role> roles;  // the roles in the order of the job file
  friend bool operator==(const JobSubmitted&, const JobSubmitted&) = default;
};

// A change of the job as a whole. A field that is not set keeps its earlier value. An empty reason or advice clears the
// earlier text.
struct JobChanged {
  enum class Type { kAmStarted, kWaiting, kRunning, kRecovering, kStopRequested, kStopping, kTensorboard, kFinished };
  Type type = Type::kRunning;
  std::optional<JobState> state;
  std::optional<int> generation;
  std::optional<int> am_attempt;
  std::optional<std::string> reason, advice;
  std::optional<Cause> cause = {};  // with kRecovering, kStopRequested, kStopping and kFinished; none for a success
  std::optional<int> exit_code;     // the job's exit code (0, 1, 3 or 4), with kFinished
  std::optional<std::string> tracking_url, tensorboard_url;
  friend bool operator==(const JobChanged&, const JobChanged&) = default;
};

// The use of a task's GPUs, averaged over all its GPUs and all samples. Shares are from 0 to 1.
struct GpuUse {
  double utilisation_average = 0;
  double utilisation_peak = 0;
  double memory_average = 0;  // used share of the GPU's memory; 0 if not known
  double memory_peak = 0;
  friend bool operator==(const GpuUse&, const GpuUse&) = default;
};

// A task's use of its machine, over all its attempts.
struct Usage {
  int64_t memory_bytes = 0;       // the newest sample
  int64_t memory_peak_bytes = 0;  // the highest sample
  double cpu_seconds = 0;
  int64_t memory_average_bytes = 0;  // the average over the samples while an attempt ran; 0 if there is no sample
  std::optional<GpuUse> gpu = {};    // nullopt if the task has no GPU, or there is no sample
  friend bool operator==(const Usage&, const Usage&) = default;
};

// The files that a task has created or changed in its working directory before the directory is removed. Reported only
// by tasks whose files are not kept.
struct LeftFiles {
  static constexpr size_t kMostNames = 3, kLongestName = 200;  // bytes

  int64_t count = 0, bytes = 0;
  std::vector<std::string> names = {};  // names of the largest files, relative to the directory; may contain any bytes
  friend bool operator==(const LeftFiles&, const LeftFiles&) = default;
};

// The checkpoints of an attempt that were announced by `checkpointing`: their number, and the time from each
// announcement to the end of the checkpoint, added up.
struct CheckpointCost {
  int64_t count = 0;
  Duration time{};
  friend bool operator==(const CheckpointCost&, const CheckpointCost&) = default;
};

// The progress that the processes of an attempt have reported (howdah/core/progress.h).
struct TaskProgress {
  std::optional<int64_t> step;        // the lowest step of all processes
  std::optional<int64_t> checkpoint;  // the step of the newest checkpoint that is complete
  std::optional<Instant> checkpoint_at;
  Instant at;                         // the time of the newest report
  std::optional<int64_t> steps = {};  // the number of steps until the end, the highest of all processes
  std::optional<CheckpointCost> checkpoint_cost = {};  // the cost of the process that announced the most checkpoints
  friend bool operator==(const TaskProgress&, const TaskProgress&) = default;
};
// Returns for example "step 120, checkpoint 100", or "" if neither was reported.
std::string ToText(const TaskProgress& progress);

// A change of one task. A field that is not set keeps its earlier value, but a new attempt number clears pids, exit,
// times, usage, progress, left files and results, and kStarted clears reason and advice. The comment of each type lists
// the fields that it sets.
struct TaskChanged {
  enum class Type {
    kPending,       // created (also by scaling), or needs a container again
    kAllocated,     // container, node
    kReady,         // endpoint
    kStarted,       // attempt, generation, pids, ranks, started
    kServes,        // its readiness probe has succeeded
    kExited,        // ended by itself, with state SUCCEEDED or FAILED: exit, reason, finished, result_bytes
    kLost,          // its container was lost: exit, reason, finished
    kStopped,       // stopped, for example because the job ended or the task was scaled away: finished
    kRemoved,       // no longer part of its role, because it was scaled away or not replaced
    kProgressed,    // its attempt made progress: progress. PauseAfterProgress limits how many reports are recorded
    kHung,          // its attempt shows no activity any more: reason, progress
    kStackSampled,  // its attempt is stopped because others hang: reason, which names its stack location
    kRejoined,      // its attempt continues in another generation without a restart: generation, ranks
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
  // With kStarted: how long the start waited for the files of the working directory; nullopt if it did not wait.
  std::optional<Duration> filling = {};
  Boxed<Usage> usage;            // set when an attempt has ended
  Boxed<TaskProgress> progress;  // set with kProgressed, and when an attempt has ended
  Boxed<LeftFiles> left_files;   // set when an attempt has ended; empty if there are no files
  // When an attempt has ended: the sizes of the stored results by local rank, kNoResult (howdah/core/results.h) for a
  // process without one. Not set if no process has a result.
  std::optional<std::vector<int>> result_bytes;
  friend bool operator==(const TaskChanged&, const TaskChanged&) = default;
};

struct RoleScaled {
  std::string role;
  int from = 0, to = 0;
  std::string by;
  friend bool operator==(const RoleScaled&, const RoleScaled&) = default;
};

// The resources of a container.
struct Resources {
  int64_t memory_bytes = 0;
  int64_t vcores = 0;
  int64_t gpus = 0;
  std::map<std::string, int64_t> others = {};  // resources other than GPUs by type, in the type's unit
  std::string label = {};                      // the node label that the request named; empty: the default
  friend bool operator==(const Resources&, const Resources&) = default;
};

// The job holds a container from kGranted or kAmGranted to kReleased. All containers are recorded, including those that
// no task used. A container without kReleased was held at most until the end of the job.
struct ContainerChanged {
  enum class Type {
    kGranted,    // the backend granted it: node, granted
    kAmGranted,  // the application master runs in this container, which replaces the one of the previous application
                 // master: node, granted, since
    kReleased,   // the backend has it back, or it did not exit although it was killed
  };
  Type type = Type::kGranted;
  std::string container;
  std::optional<std::string> node = {};
  std::optional<Resources> granted = {};  // the backend may grant more than was requested
  std::optional<Instant> since = {};      // the time of the grant, if it was long before this entry
  friend bool operator==(const ContainerChanged&, const ContainerChanged&) = default;
};

// The values of TokensChanged::by.
inline constexpr const char* kRenewedByRm = "rm";          // the cluster renews the tokens until their end
inline constexpr const char* kRenewedByClient = "client";  // a client has supplied them, and they are not renewed
inline constexpr const char* kRenewedByKeytab = "keytab";  // the AM replaces them before their end

// The delegation tokens with which the job uses its cluster.
struct TokensChanged {
  enum class Type {
    kIssued,    // the job has those of its submission
    kRenewed,   // the job has newer ones
    kExpiring,  // they end soon, and nothing replaces them
  };
  Type type = Type::kIssued;
  Instant until;   // the end of the first of them
  std::string by;  // how they stay valid until then; empty: they are not renewed
  friend bool operator==(const TokensChanged&, const TokensChanged&) = default;
};

using Change = std::variant<JobSubmitted, JobChanged, TaskChanged, RoleScaled, ContainerChanged, TokensChanged>;

struct JournalEntry {
  Instant time;
  Change change;
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

}  // namespace howdah::core
