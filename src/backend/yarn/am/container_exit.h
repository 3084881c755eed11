// Describes why a container has ended or could not start, or why its executor has not connected yet. The descriptions
// are made from the diagnostics of YARN 3.3 to 3.5. Pure.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn::am {

// Returns the text for core::ContainerExited::how: "executor was killed by signal 9 (SIGKILL)", "node lost"; empty
// after a normal end. preemptor: the result of PreemptingQueue if the container was preempted.
std::string DescribeExit(const ::hadoop::yarn::ContainerStatusProto& status, const std::string& preemptor = "");

// Returns the text for core::ReclaimAnnounced::why of a container that the scheduler is going to preempt.
std::string DescribePreemptionWarning(const std::string& preemptor);

// Returns the start-up phase of a container before its executor has connected, such as "localizing files on node7".
// status: the answer of the container's NodeManager, or the error of the call. Returns an empty text if the container
// has ended, which is reported separately.
std::string DescribeStartProgress(const Result<::hadoop::yarn::ContainerStatusProto>& status, const std::string& node);

// Returns why a NodeManager refused to start a container. diagnostics: the text of its answer.
std::string DescribeStartFailure(const std::string& diagnostics);

}  // namespace howdah::backend::yarn::am
