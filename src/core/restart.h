// Policy: what a failure leads to, and how long to pause before the next attempt.
#pragma once

#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"
#include "reason.h"

namespace howdah::core {

enum class Remedy {
  kAlone,     // only the task starts again
  kTogether,  // all ranked tasks start again; who of them failed first is known when all have ended
  kWholeJob,  // every task starts again
  kAccept,    // it stays failed, the job goes on
  kFailJob,
};

struct FailureFacts {
  jobspec::RoleKind kind = jobspec::RoleKind::kWorker;
  jobspec::OnFailure on_failure = jobspec::OnFailure::kFail;
  bool ranked = false;         // its role restarts together with the other ranked ones
  int budget = 0;              // restarts the task has left
  bool ranked_budget = false;  // whether any ranked task has one left
  int job_budget = 0;          // restarts the whole job has left
  bool first = false;          // it is index 0 of its role
  bool excused = false;        // the task is not to blame, or a rule of the job file says so
  bool final = false;          // a rule of the job file says that it is not to start again
  // It may be no more than a consequence of another ranked task's failure that is not known yet.
  bool doubtful = false;
};

// Whether a failure that is not restarted fails the job at once. first: of index 0 of its role.
bool Counts(jobspec::RoleKind kind, jobspec::OnFailure on_failure, bool first);

Remedy Decide(const FailureFacts& facts);

// What is said of a failure beside the table: by the first rule of the job file that fits, else by what was seen of its
// node, as often as that is taken for an excuse. nullopt: nothing.
std::optional<jobspec::RestartRule::Then> Says(const jobspec::RestartLimit& restart, const Diagnosis& diagnosis,
                                               bool may_excuse);

// Whose fault: what a rule says is final comes before what is not, then the earlier of two, but what is known to be a
// consequence of another failure is never the first.
bool CameFirst(const Failure& a, const Failure& b);

// Before the nth (from 1) restart: the job file's own pause first, then doubled up to a minute.
Duration Backoff(Duration first, int nth);

}  // namespace howdah::core
