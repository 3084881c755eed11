// Copies the AM's metrics file to the cluster's file system, for a later AM, and for clients while no AM runs.
#pragma once

#include <stop_token>
#include <string>
#include <thread>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::backend::yarn::am {

// Copies the file every five minutes, on its own thread, so that a slow NameNode does not delay the job. A failed copy
// is repeated five minutes later.
class MetricsCopy {
 public:
  // path: the local metrics file, which need not exist yet.
  MetricsCopy(HadoopClient cluster, JobId id, std::string path);
  // The destructor waits until a copy in progress is finished.

 private:
  void Run(const std::stop_token& stop);

  HadoopClient cluster_;
  JobId id_;
  std::string path_;
  std::jthread thread_;  // declared last, because the thread uses the other members
};

// Copies the local file to the job's directory in the cluster's file system. Does nothing if there is no local file.
Status StoreMetrics(HadoopClient& cluster, const JobId& id, const std::string& path);
// Copies the metrics file that an earlier AM has stored to a new local file. Does nothing if none is stored.
Status FetchMetrics(HadoopClient& cluster, const JobId& id, const std::string& path);

}  // namespace howdah::backend::yarn::am
