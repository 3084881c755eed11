// The states that users see (docs/how-it-works.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace howdah::core {

//  QUEUED -> STARTING -> RUNNING -> SUCCEEDED | FAILED | KILLED
//                          ^  |
//                          |  v
//                       RECOVERING      (between generations)
enum class JobState { kQueued, kStarting, kRunning, kRecovering, kSucceeded, kFailed, kKilled };

//  PENDING -> ALLOCATED -> READY -> RUNNING -> SUCCEEDED | FAILED | LOST | STOPPED
//     ^___________________________________________|  (a restart)
enum class TaskState { kPending, kAllocated, kReady, kRunning, kSucceeded, kFailed, kLost, kStopped };

inline bool IsFinal(JobState s) {
  return s == JobState::kSucceeded || s == JobState::kFailed || s == JobState::kKilled;
}
inline bool IsFinal(TaskState s) { return s >= TaskState::kSucceeded; }

std::string_view ToText(JobState s);   // "RUNNING"
std::string_view ToText(TaskState s);  // "STOPPED"
std::optional<JobState> ParseJobState(std::string_view text);
std::optional<TaskState> ParseTaskState(std::string_view text);

// Why a process ended, as far as is known: a clause that follows "exit code 7" or a signal in a sentence, and advice on
// what to do about the cause. Either may be empty.
struct Diagnosis {
  std::string cause;   // "ModuleNotFoundError: No module named 'torch' (train.py line 3)"
  std::string advice;  // "set `python: {archive: ...}` to an environment that has torch"
  // The failure only shows that another task was lost. It is not the root cause, even if it has the earliest time.
  bool consequence = false;
  // The node is at fault (its GPU has failed): other tasks may fail there in the same way.
  bool node_fault = false;
  std::optional<int> rule = {};  // the index of the first matching rule in the restart.rules of the role
  // A clause that says why a restart would fail in the same way: "the feed train has failed". Empty: it may help.
  std::string no_restart = {};
  friend bool operator==(const Diagnosis&, const Diagnosis&) = default;
};

}  // namespace howdah::core
