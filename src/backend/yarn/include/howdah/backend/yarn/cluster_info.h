// Converts the ResourceManager's reports about nodes, applications and queues for clients. Pure.
#pragma once

#include <string>
#include <vector>

#include "howdah/backend/cluster_info.h"
#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn {

// The ResourceManager grants no containers on a node in any state but RUNNING.
NodeInfo InfoOf(const ::hadoop::yarn::NodeReportProto& report);
// The amounts are unknown if this user may not see the application, or if it has no attempt yet. The report then has
// the negative numbers of RMServerUtils.DUMMY_APPLICATION_RESOURCE_USAGE_REPORT.
ApplicationInfo InfoOf(const ::hadoop::yarn::ApplicationReportProto& report);
// Returns the queue and its descendants, each after its parent. The report has neither the GPUs in use nor those of
// pending requests.
std::vector<QueueInfo> QueuesOf(const ::hadoop::yarn::QueueInfoProto& root);

}  // namespace howdah::backend::yarn
