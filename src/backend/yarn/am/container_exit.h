// Describes why a container ended or could not start, or why its executor has not connected yet. The descriptions are
// based on the diagnostics of YARN 3.3 to 3.5. Pure.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn::am {

// Returns the text for core::ContainerExited::how, such as "executor was killed by signal 9 (SIGKILL)" or "node lost".
// Returns an empty text after a normal end. preemptor: the result of PreemptingQueue if the container was preempted.
std::string DescribeExit(const ::hadoop::yarn::ContainerStatusProto& status, const std::string& preemptor = "");

// Returns whether the cluster does not permit the container, for example because it does not trust the docker image. A
// container on another node would end in the same way.
bool IsRefusedByCluster(const ::hadoop::yarn::ContainerStatusProto& status);

// Returns the text for core::ReclaimAnnounced::why when the scheduler is going to preempt a container.
std::string DescribePreemptionWarning(const std::string& preemptor);

// Returns the present phase of a container's start, such as "localizing files on node7". Used until the executor has
// connected. Returns an empty text if the container has ended, because its end is reported separately.
// status: the answer of the container's NodeManager, or the error of the call.
std::string DescribeStartProgress(const Result<::hadoop::yarn::ContainerStatusProto>& status, const std::string& node);

// Returns why a NodeManager refused to start a container. diagnostics: the text of its answer.
std::string DescribeStartFailure(const std::string& diagnostics);

}  // namespace howdah::backend::yarn::am
