// Files for a framework that starts processes in other tasks itself (MPI).
#pragma once

#include "howdah/base/result.h"
#include "task_plan.h"

namespace howdah::executor {

// Returns the paths of the files; empty for other frameworks.
frameworks::common::RemoteStartFiles PlanRemoteStart(const TaskPlan& plan);

// Writes the files. To be called before each attempt, because the hostfile lists the attempt's cluster.
Status WriteRemoteStartFiles(const TaskPlan& plan, const core::PeerGroup& cluster);

}  // namespace howdah::executor
