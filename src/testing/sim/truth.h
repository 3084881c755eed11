// The real state of one job's processes, independent of the events that the core has received, and the rules that
// require this state.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/core/states.h"
#include "howdah/testing/sim/workload.h"
#include "world.h"

namespace howdah::testing::sim {

// A failure caused by the task's own processes, and not by a stop, a kill or a loss.
struct OwnFailure {
  TaskId task;
  int attempt = 0;
  int generation = 0;
  Instant at;
  std::string how;           // as in the job's reason: "exit code 7"; empty: the command could not be started
  bool consequence = false;  // the failure is reported as the consequence of another one
  bool final = false;        // a rule of the task's role excludes a restart
  bool hung = false;         // the attempt hung and did not end
  bool received = false;     // the core received the failure while it held the container
};

// Whether `a` is closer to the root cause than `b`.
inline bool CameFirst(const OwnFailure& a, const OwnFailure& b) {
  if (a.final != b.final) return a.final;
  return a.consequence != b.consequence ? b.consequence : a.at < b.at;
}

// Returns the consequence that the matching restart rule demands; nullopt if the failure matches no rule.
std::optional<jobspec::RestartRule::Then> RuleOf(const Workload& workload, TaskId task,
                                                 const core::Diagnosis& diagnosis);
inline bool IsFinal(const Workload& workload, TaskId task, const core::Diagnosis& diagnosis) {
  return RuleOf(workload, task, diagnosis) == jobspec::RestartRule::Then::kFail;
}

class Truth {
 public:
  Truth(World& world, const Workload& workload) : world_(world), workload_(workload) {}

  // The attempt's processes have started.
  void Started(TaskId task, int attempt, int generation);
  // The attempt has left its generation, and belongs to no generation until Rejoined.
  void Waits(TaskId task, int attempt);
  void Rejoined(TaskId task, int attempt, int generation);
  // All processes of the attempt have ended.
  void Ended(TaskId task, int attempt);
  void Failed(OwnFailure failure) { failures_.push_back(std::move(failure)); }
  // Records that the core has received the failure of this attempt. For a hang, call it only if the attempt is not
  // already being stopped, because the core ignores a hang during a stop.
  OwnFailure* Received(TaskId task, int attempt, bool hung);

  // Returns for each failure so far whether the core has received it. RestoreReceived restores an earlier result.
  std::vector<bool> received() const;
  void RestoreReceived(const std::vector<bool>& received);
  // The core has lost all attempts of each task that are newer than newest(task), and will use their numbers again.
  void Forget(const std::function<int(TaskId)>& newest);
  const std::vector<OwnFailure>& failures() const { return failures_; }
  // Returns for example "worker:1 attempt 0, ps:0 attempt 2": the running attempts, or "" if none runs.
  std::string Running() const;

 private:
  struct Run {
    TaskId task;
    int attempt = 0;
    int generation = 0;
    bool waits = false;
  };
  Run* Find(TaskId task, int attempt);

  World& world_;
  const Workload& workload_;
  std::vector<Run> runs_;
  std::vector<OwnFailure> failures_;
};

}  // namespace howdah::testing::sim
