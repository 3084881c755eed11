// What a framework needs that starts processes in other tasks by itself (MPI): made in the working directory.
#pragma once

#include "howdah/base/result.h"
#include "launch.h"

namespace howdah::executor {

// Where everything will be; empty for a task whose framework does not start anything.
frameworks::StartSupport PlanStartSupport(const TaskPlan& plan);

// Makes it, before each attempt: the hostfile is of its cluster.
Status MakeStartSupport(const TaskPlan& plan, const core::PeerGroup& cluster);

}  // namespace howdah::executor
