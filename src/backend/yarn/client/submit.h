// From a job file to an application of YARN.
#pragma once

#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/client/yarn_cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"
#include "staging.h"

namespace howdah::backend::yarn::client {

// What the AM is told of the cluster beside the job.
struct ClusterInventory {
  std::vector<CandidateNode> nodes;
  std::vector<std::string> resource_types;
};

// Stages what is not there yet, submits, and returns when the ResourceManager has accepted the application.
Result<JobId> SubmitToYarn(HadoopClient& cluster, const YarnOptions& options, const ClusterInventory& known,
                           const jobspec::JobSpec& spec, const backend::SubmitOptions& submit);

// The memory of the AM's container: 32 MiB and a quarter of one for every task, and what TensorBoard needs if it is to
// run there.
int64_t AmMemoryMib(const jobspec::JobSpec& spec);

// What the application is submitted with. Pure. am_resources: by their names in the AM's container.
::hadoop::yarn::ApplicationSubmissionContextProto SubmissionContext(
    const jobspec::JobSpec& spec, const hadoop::yarn::ApplicationId& id,
    const std::map<std::string, LocalResource>& am_resources, const hadoop::rpc::Credentials& credentials);

}  // namespace howdah::backend::yarn::client
