// Files for a framework that itself starts processes in other tasks (MPI).
#pragma once

#include "howdah/base/result.h"
#include "task_plan.h"

namespace howdah::executor {

// Returns the paths of the files; empty for other frameworks.
frameworks::common::RemoteStartFiles PlanRemoteStart(const TaskPlan& plan);

// Writes the files. Call it before each attempt, because the hostfile lists the peers of that attempt.
Status WriteRemoteStartFiles(const TaskPlan& plan, const core::PeerGroup& cluster);

}  // namespace howdah::executor
