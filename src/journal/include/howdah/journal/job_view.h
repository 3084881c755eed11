// The status of a job, computed from its journal. `status`, `list`, the AM's page and the history show it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/core/change.h"
#include "howdah/journal/feed_view.h"
#include "howdah/journal/hardware_time.h"
#include "howdah/journal/time_breakdown.h"

namespace howdah::journal {

using core::Usage;

struct TaskView {
  std::string role;
  int index = 0;
  core::TaskState state = core::TaskState::kPending;
  int attempt = 0;
  bool ready = false;             // the readiness probe of the attempt has succeeded, and the attempt runs
  std::optional<int> started_in;  // the newest generation in which an attempt was started
  std::string node, container;    // empty before the task has a container
  std::string host;               // of `port`; empty before the task has one
  int port = 0;                   // that is reserved for a server of the task
  // The resources of `container`; nullopt if the task has none, or if the journal does not contain them.
  std::optional<core::Resources> granted;
  std::vector<int> ranks, pids;
  std::optional<ExitStatus> exit;
  std::string reason, advice;
  std::optional<Instant> started, finished;
  // The attempt's progress; nullopt if the attempt reports none. A caller may replace this value by a newer one than
  // the journal's.
  std::optional<core::TaskProgress> progress;
  // The sizes of the attempt's stored results by local rank; core::kNoResult for a process without a result. Empty if
  // no process has one.
  std::vector<int> result_bytes;
  // The resource usage of the container, in which earlier attempts may have run. The journal contains it once the
  // attempt has ended. Before that, a caller may fill in a sample.
  Usage usage;
  // The files in the task's working directory when its newest attempt ended; nullopt if there are none, or if they are
  // kept.
  std::optional<core::LeftFiles> left_files;
  // The CPU time that the container has used in all attempts that have ended. Not in the JSON.
  double container_cpu_seconds = 0;
};

// The job's delegation tokens.
struct TokensView {
  Instant until;          // the end of the first of them
  std::string by;         // as in core::TokensChanged
  bool expiring = false;  // they end soon, and nothing replaces them
  friend bool operator==(const TokensView&, const TokensView&) = default;
};

// An application that a task of the job has started on the cluster.
struct ChildView {
  std::string id, name, type;  // "SPARK"
  std::string state;           // in the cluster's words: "RUNNING"
  std::string tracking_url;    // may be empty
  friend bool operator==(const ChildView&, const ChildView&) = default;
};

struct JobView {
  std::string id, name, on, framework, user, host;
  core::JobState state = core::JobState::kQueued;
  std::optional<int> exit_code;
  int generation = 0;
  int am_attempt = 0;
  std::string reason, advice;        // may be empty
  std::optional<core::Cause> cause;  // the cause behind `reason`; not every reason has one
  std::optional<Instant> submitted, started, finished;
  std::string tracking_url, tensorboard_url;
  std::string tensorboard_advice;        // why there is no TensorBoard; shown while there is no other advice
  std::optional<TokensView> tokens;      // nullopt: the job has none
  std::vector<std::string> later_roles;  // their tasks request containers only after other roles have finished
  TimeBreakdown time_breakdown;
  HardwareTime hardware;
  double earlier_cpu_seconds = 0;   // of the containers that tasks have left; not in the JSON
  std::vector<ChildView> children;  // the journal does not contain them; a caller may fill them in
  std::vector<FeedView> feeds;      // likewise; in the order of the job file
  std::vector<TaskView> tasks;      // by role in the order of the job file, then by index

  // Applies the next entry of the journal. Accepts any entry, and ignores all entries after a final state.
  void Apply(const core::JournalEntry& entry);
  TaskView* Find(const std::string& role, int index);
  const TaskView* Find(const std::string& role, int index) const;
};

// Formats one JSON object, as `status --json` prints it. With with_tasks=false, the object lacks the tasks and the time
// breakdown, as in `list --json`.
std::string ToJson(const JobView& view, bool with_tasks);
// Reads the output of ToJson. Returns nullopt for anything else.
std::optional<JobView> FromJson(std::string_view json);

// Formats one line of the journal file, without the newline: {"time": "...", "type": "TaskExited", ...}.
std::string EncodeEntry(const core::JournalEntry& entry);
// Returns nullopt for an incomplete or invalid line, and for a type that this version does not know.
std::optional<core::JournalEntry> DecodeEntry(std::string_view line);
// Formats a line for people: "06:45:12.301  TaskExited  worker:1  exit code 7".
std::string DescribeEntry(const core::JournalEntry& entry);
// Formats a time as "2026-11-29 16:13", in UTC.
std::string FormatMinute(Instant time);
// Formats "until 2026-11-29 16:13 UTC, renewed daily by the ResourceManager". The parameters are those of
// core::TokensChanged.
std::string DescribeTokens(Instant until, const std::string& by);

}  // namespace howdah::journal
