// Decides how many tasks of an elastic role take part, between its min and its max.
#pragma once

#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core::policy {

// Ranked tasks that are not members of the current generation but could join the next one.
struct Candidates {
  int joinable = 0;      // registered; could run at once
  int starting = 0;      // have a container, but are not registered yet
  int pending = 0;       // have no container yet
  bool settled = false;  // `timeouts.settle` has passed since the first candidate could have joined
};

// Whether the running ranked tasks are stopped now and restart together with the candidates. Each restart loses the
// work since the last checkpoint, so candidates are collected and join together.
bool ShouldGrow(const Candidates& candidates);

// Whether a generation that could start now should wait for candidates. If it started now, it would soon have to
// restart for them.
bool ShouldWait(const Candidates& candidates);

// How long a task that has lost its container waits for another container before the job continues without the task.
// at_once: true if an elastic role should not wait, because a replacement is unlikely for now, or can join later at
// little cost.
Duration ReplacementLimit(const jobspec::Instances& instances, const jobspec::Timeouts& timeouts, bool at_once);

// Whether a role that has `members` members can continue with one member less.
bool CanShrink(const jobspec::Instances& instances, int members);

}  // namespace howdah::core::policy
