// The status of a job as a fold over its journal. What `status`, `list`, the AM and the history show is this.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/core/change.h"
#include "howdah/journal/account.h"

namespace howdah::journal {

using core::Usage;

struct TaskView {
  std::string role;
  int index = 0;
  core::TaskState state = core::TaskState::kPending;
  int attempt = 0;
  std::optional<int> started_in;  // the newest generation in which an attempt was started
  std::string node, container;    // empty: none yet
  std::vector<int> ranks, pids;
  std::optional<ExitStatus> exit;
  std::string reason, advice;
  std::optional<Instant> started, finished;
  std::optional<core::TaskProgress>
      progress;  // of the attempt; none: it reports none. Newer than the journal, as usage
  Usage usage;   // in the journal at the end of an attempt; until then sampled, filled in by who has it
};

struct JobView {
  std::string id, name, on, framework, user, host;
  core::JobState state = core::JobState::kQueued;
  std::optional<int> exit_code;
  int generation = 0;
  int am_attempt = 0;
  std::string reason, advice;  // empty: none
  std::optional<Instant> submitted, started, finished;
  std::string tracking_url, tensorboard_url;
  std::string tensorboard_advice;  // why there is none; it is the advice while there is no other
  Account account;
  std::vector<TaskView> tasks;  // by role in the order of the file, then by index

  // Takes one more entry of the journal. Total: an entry that does not fit is ignored.
  void Apply(const core::JournalEntry& entry);
  TaskView* Find(const std::string& role, int index);
  const TaskView* Find(const std::string& role, int index) const;
};

// One object, the shape of product documentation docs/status.md; with_tasks false: as `list` shows it.
std::string ToJson(const JobView& view, bool with_tasks);
// Reads what ToJson wrote; nullopt for anything else.
std::optional<JobView> FromJson(std::string_view json);

// One line of the journal file, without the newline: {"time": "...", "type": "TaskExited", ...}.
std::string EncodeEntry(const core::JournalEntry& entry);
// nullopt for a line that is torn or of a type this version does not know.
std::optional<core::JournalEntry> DecodeEntry(std::string_view line);
// For people: "06:45:12.301  TaskExited  worker:1  exit code 7".
std::string DescribeEntry(const core::JournalEntry& entry);

}  // namespace howdah::journal
