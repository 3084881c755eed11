// Why a container has ended, in a clause for people. Pure.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn {

// As core::ContainerExited::how: "its executor was killed by signal 9 (SIGKILL)", "it used 260.1 MB of the 256 MB of
// memory that it may, and YARN killed it"; empty after an end as it was to be. The numbers are those of
// ContainerExitStatus, the facts those of YARN's diagnostics (3.3 to 3.5). taker: as PreemptingQueue, if it was
// preempted.
std::string DescribeExit(const ::hadoop::yarn::ContainerStatusProto& status, const std::string& preemptor = "");
// As core::ContainerWarned::why, when it is going to be preempted.
std::string DescribePreemptionWarning(const std::string& preemptor);

// Whether an exit status of ContainerExitStatus says that the task is not to blame: its node was lost or its disks
// failed, it was preempted, or the ResourceManager or the node's scheduler took its container.
bool IsExcused(int exit_status);
bool WasPreempted(int exit_status);
// Whether YARN gave the container, or what it used, to others: it was preempted, or pushed aside on its node.
bool WasTaken(int exit_status);

// How far a container is in which nothing has connected yet, out of its NodeManager's answer or that there is none:
// "its files were still being brought to node7". Empty: it has ended, and how is told by itself.
std::string DescribeStartProgress(const Result<::hadoop::yarn::ContainerStatusProto>& status, const std::string& node);

// Why a NodeManager has not started a container, out of its words.
std::string DescribeStartFailure(const std::string& words);

}  // namespace howdah::backend::yarn
