// The files of a framework that starts processes in other tasks by itself (MPI), in the working directory.
#pragma once

#include "howdah/base/result.h"
#include "task_plan.h"

namespace howdah::executor {

// The paths; empty for other frameworks.
frameworks::common::RemoteStartFiles PlanRemoteStart(const TaskPlan& plan);

// Writes the files, before each attempt: the hostfile lists the attempt's cluster.
Status WriteRemoteStartFiles(const TaskPlan& plan, const core::PeerGroup& cluster);

}  // namespace howdah::executor
