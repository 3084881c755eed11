// Describes why a container has ended, could not start or has not connected yet. The texts come from the diagnostics
// of YARN 3.3 to 3.5. Pure.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn::am {

// As core::ContainerExited::how: "executor was killed by signal 9 (SIGKILL)", "node lost"; empty after a normal end.
// preemptor: the result of PreemptingQueue if the container was preempted.
std::string DescribeExit(const ::hadoop::yarn::ContainerStatusProto& status, const std::string& preemptor = "");

// As core::ReclaimAnnounced::why of a container that the scheduler is going to preempt.
std::string DescribePreemptionWarning(const std::string& preemptor);

// The start-up phase of a container in which nothing has connected yet, from its NodeManager's answer or the lack of
// one: "localizing files on node7". Empty: the container has ended, which is reported separately.
std::string DescribeStartProgress(const Result<::hadoop::yarn::ContainerStatusProto>& status, const std::string& node);

// Why a NodeManager refused to start a container, from the text of its answer.
std::string DescribeStartFailure(const std::string& diagnostics);

}  // namespace howdah::backend::yarn::am
