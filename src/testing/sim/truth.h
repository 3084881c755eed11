// The real state of the user's processes of one job, independent of the events that the core has received; and the
// rules that need it.
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

// A task's processes failed by themselves: not because they were stopped, killed or lost.
struct OwnFailure {
  TaskId task;
  int attempt = 0;
  int generation = 0;
  Instant at;
  std::string how;           // as reasons say it: "exit code 7"; empty: could not be started
  bool consequence = false;  // it says itself that another one failed before it
  bool final = false;        // a rule of its role says that it is not to start again
  bool stalled = false;      // it did not end
  bool told = false;         // the core has been told while the container was still there
};

// Whether a is nearer to the cause than b.
inline bool CameFirst(const OwnFailure& a, const OwnFailure& b) {
  if (a.final != b.final) return a.final;
  return a.consequence != b.consequence ? b.consequence : a.at < b.at;
}

// What the rule of its role says of a failure that fits it; none: it fits none.
std::optional<jobspec::RestartRule::Then> RuleOf(const Workload& workload, TaskId task,
                                                 const core::Diagnosis& diagnosis);
inline bool IsFinal(const Workload& workload, TaskId task, const core::Diagnosis& diagnosis) {
  return RuleOf(workload, task, diagnosis) == jobspec::RestartRule::Then::kFail;
}

class Truth {
 public:
  Truth(World& world, const Workload& workload) : world_(world), workload_(workload) {}

  // Processes of the attempt exist from now on.
  void Started(TaskId task, int attempt, int generation);
  // They have left their world, and run on without one until they are in the next.
  void Waits(TaskId task, int attempt);
  void Rejoined(TaskId task, int attempt, int generation);
  // None of them is left.
  void Ended(TaskId task, int attempt);
  void Failed(OwnFailure failure) { failures_.push_back(std::move(failure)); }
  // The core is told of the failure of this attempt. A stall that it does not heed, as the attempt is being stopped, is
  // not told.
  OwnFailure* Told(TaskId task, int attempt, bool stalled);

  // Of each failure until now; what was told since can be taken back.
  std::vector<bool> told() const;
  void Untell(const std::vector<bool>& told);
  // The core knows of no attempt after the newest of a task: another one will have its number.
  void Forget(const std::function<int(TaskId)>& newest);
  const std::vector<OwnFailure>& failures() const { return failures_; }
  // "worker:1 attempt 0" of each that runs; empty: none.
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
