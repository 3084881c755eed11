// Decides the remedy for a failure, and how long to pause before the next attempt.
#pragma once

#include <optional>

#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core::policy {

enum class Remedy {
  kRestartTask,    // only the task starts again
  kRestartRanked,  // all ranked tasks start again; which failure was first is certain only once all have ended
  kRestartJob,     // every task starts again
  kAccept,         // the task stays failed, and the job continues
  kFailJob,
};

struct FailureFacts {
  jobspec::RoleKind kind = jobspec::RoleKind::kWorker;
  jobspec::OnFailure on_failure = jobspec::OnFailure::kFail;
  bool ranked = false;         // its role restarts together with the other ranked roles
  int budget = 0;              // charged restarts that the task has left
  bool ranked_budget = false;  // whether any ranked task has a charged restart left
  int job_budget = 0;          // restarts that the whole job has left
  bool first_index = false;    // the task has index 0 in its role
  bool not_charged = false;    // an infrastructure failure, or a rule of the job file makes the restart free
  bool final = false;          // a rule of the job file forbids a restart
  // The failure may be a consequence of the failure of another ranked task that has not been reported yet.
  bool maybe_consequence = false;
};

// Whether the failure of a task of this kind fails the job at once if the task has no restart left.
bool FailsJob(jobspec::RoleKind kind, jobspec::OnFailure on_failure, bool first_index);

Remedy Decide(const FailureFacts& facts);

// Returns the verdict of the restart rule with index `rule`, the first rule of the job file that matches. If no rule
// matches, a failure that a restart cannot mend (no_restart) is final, and a node fault leads to a free restart on
// another node, unless the job charges infrastructure failures. Returns nullopt in all other cases; Decide() then uses
// its defaults.
std::optional<jobspec::RestartRule::Then> RuleFor(const jobspec::RestartLimit& restart, std::optional<int> rule,
                                                  bool node_fault, bool no_restart);

// The properties by which failures are ordered.
struct FailureOrder {
  bool final = false;        // a rule of the job file forbids a restart
  bool consequence = false;  // the failure is known to follow from another failure
  Instant at;
};
// Whether a is the root cause rather than b. A final failure comes first, and a known consequence last; otherwise the
// earlier failure comes first.
bool CameFirst(const FailureOrder& a, const FailureOrder& b);

// The pause before the nth restart (from 1): the job file's backoff, doubled each time up to a minute.
Duration Backoff(Duration first, int nth);

}  // namespace howdah::core::policy
