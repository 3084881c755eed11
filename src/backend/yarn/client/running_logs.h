// Output of a job that runs, through its AM.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn::client {

// What has been written so far, in the order of tasks; none if the AM is not there yet.
Result<std::vector<backend::LogSource>> ListRunningLogs(HadoopClient& cluster, const JobId& id,
                                                        const ::hadoop::yarn::ApplicationReportProto& report);

struct RunningLogRead {
  int64_t bytes = 0;    // that were handed on
  bool whole = false;   // nothing more is known to be there; false: the rest is where the container ran
  std::string journal;  // of the job, to find that
};
// Hands on what the source has now.
Result<RunningLogRead> ReadRunningLog(HadoopClient& cluster, const JobId& id,
                                      const ::hadoop::yarn::ApplicationReportProto& report,
                                      const backend::LogSource& source,
                                      const std::function<void(std::string_view)>& on_bytes);

}  // namespace howdah::backend::yarn::client
