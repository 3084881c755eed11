// Gives clients access to an application that has not ended: calls to its AM, output that its AM serves, and the reason
// why it has no AM.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/control.pb.h"

namespace howdah::backend::yarn::client {

// Returns the AM's address after name resolution, such as "10.0.0.7:40123", or kUnavailable if the AM has not
// registered yet.
Result<std::string> AmAddress(const ::hadoop::yarn::ApplicationReportProto& report);

// Returns the AM's address and the identity with which clients call it.
Result<rpc::AmContact> FindAm(HadoopClient& cluster, const JobId& id,
                              const ::hadoop::yarn::ApplicationReportProto& report);

Result<wire::ControlReply> CallRunningAm(HadoopClient& cluster, const JobId& id,
                                         const ::hadoop::yarn::ApplicationReportProto& report,
                                         const wire::ControlRequest& request, Duration limit);

// Returns the sources of output so far, in the order of tasks. Returns none if no AM runs.
Result<std::vector<backend::LogSource>> ListRunningLogs(HadoopClient& cluster, const JobId& id,
                                                        const ::hadoop::yarn::ApplicationReportProto& report);

struct RunningLogRead {
  int64_t bytes = 0;      // number of bytes passed to on_bytes
  bool complete = false;  // if false, the rest is only on the node where the container ran
  std::string journal;    // the job's journal, in which LogLocations finds that node
};
// Returns the size of a source so far; nullopt if the AM cannot serve its bytes.
Result<std::optional<int64_t>> SizeOfRunningLog(HadoopClient& cluster, const JobId& id,
                                                const ::hadoop::yarn::ApplicationReportProto& report,
                                                const backend::LogSource& source);

// Passes the content of a source from `offset` on to on_bytes, as far as the AM can serve it, until on_bytes returns
// false.
Result<RunningLogRead> ReadRunningLog(HadoopClient& cluster, const JobId& id,
                                      const ::hadoop::yarn::ApplicationReportProto& report,
                                      const backend::LogSource& source, int64_t offset,
                                      const std::function<bool(std::string_view)>& on_bytes);

// Explains, with the ResourceManager's diagnostics and numbers, why the AM has no container yet. Returns an empty text
// if the application has just been submitted.
std::string WhyApplicationIsPending(HadoopClient& cluster, const ::hadoop::yarn::ApplicationReportProto& report);

}  // namespace howdah::backend::yarn::client
