// Policy: how large the world of an elastic role is, between what it needs and what is wanted.
#pragma once

#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// Tasks of the ranked roles that are no members of the world.
struct Gathering {
  int ready = 0;         // could run
  int coming = 0;        // have a container, and are not ready yet
  int awaited = 0;       // have none yet
  bool settled = false;  // `timeouts.settle` is over since something of this could have been taken in
};

// Whether the ranked tasks that run are stopped now to start again with the newcomers. Each time costs what has been
// done since the last checkpoint, so that newcomers are gathered.
bool TakesIn(const Gathering& gathering);

// Whether a world that could start now waits for newcomers, as it would have to start again with them soon.
bool AwaitsNewcomers(const Gathering& gathering);

// How long a task that has lost its container waits for another one before it is decided whether the job goes on
// without it. at_once: where it can: another one may not come for long, or it can be taken in later at little cost.
Duration ReplacementLimit(const jobspec::Instances& instances, const jobspec::Timeouts& timeouts, bool at_once);

// Whether a role with so many members can do with one fewer.
bool CanSpare(const jobspec::Instances& instances, int members);

}  // namespace howdah::core
