// Calls to the application master of a job that runs.
#pragma once

#include <optional>
#include <string>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/control.pb.h"

namespace howdah::backend::yarn::client {

// Where the AM listens, as a number: "10.0.0.7:40123". kUnavailable: it has not said yet.
Result<std::string> AmAddress(const ::hadoop::yarn::ApplicationReportProto& report);

// The AM's address, and what a client of the job proves itself with.
Result<rpc::AmContact> FindAm(HadoopClient& cluster, const JobId& id,
                              const ::hadoop::yarn::ApplicationReportProto& report);

Result<wire::ControlReply> CallRunningAm(HadoopClient& cluster, const JobId& id,
                                         const ::hadoop::yarn::ApplicationReportProto& report,
                                         const wire::ControlRequest& request, Duration limit);

}  // namespace howdah::backend::yarn::client
