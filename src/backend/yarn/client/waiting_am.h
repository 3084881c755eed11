// Why an application has not started: the reason a person reads while its AM has no container.
#pragma once

#include <string>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn::client {

// One sentence out of the ResourceManager's own words and numbers; empty: it has just been submitted.
std::string WhyApplicationIsPending(HadoopClient& cluster, const ::hadoop::yarn::ApplicationReportProto& report);

}  // namespace howdah::backend::yarn::client
