// The outputs of tasks that executors have stored in HDFS.
#pragma once

#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"

namespace howdah::backend::yarn::client {

// Copies the stored outputs of a job to DIRECTORY/ROLE-INDEX/... While the job runs, these are the outputs of the tasks
// that have ended.
Result<Cluster::FetchedOutputs> FetchStoredOutputs(HadoopClient& cluster, const JobId& id,
                                                   const std::string& directory);

// Reads the stored result of a process, before or after the end of the job. name: "ROLE-INDEX/LOCAL_RANK". Returns
// kNotFound if there is none.
Result<std::string> ReadStoredResult(HadoopClient& cluster, const JobId& id, const std::string& name);

}  // namespace howdah::backend::yarn::client
