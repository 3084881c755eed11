// Why an application has not started: the reason a person reads while its AM has no container.
#pragma once

#include <string>

#include "cluster.h"
#include "howdah/hadoop/yarn.pb.h"

namespace howdah::yarnplace {

// One sentence out of the ResourceManager's own words and numbers; empty: it has just been submitted.
std::string WhyApplicationWaits(Cluster& cluster, const hadoop::yarn::ApplicationReportProto& report);

}  // namespace howdah::yarnplace
