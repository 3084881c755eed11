// Submits a job file as an application of YARN.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/client/yarn_cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::client {

inline constexpr const char* kApplicationType = "HOWDAH";

// Facts about the cluster that the client passes to the AM.
struct ClusterInventory {
  std::vector<CandidateNode> nodes;
  std::vector<std::string> resource_types;
};

// Stages the files that the cluster lacks, submits, and returns when the ResourceManager has accepted the application.
Result<JobId> SubmitToYarn(HadoopClient& cluster, const YarnOptions& options, const ClusterInventory& inventory,
                           const jobspec::JobSpec& spec, const backend::SubmitOptions& submit);

// The memory of the AM's container: am.memory, or 32 MiB, 256 KiB per task, and the needs of a TensorBoard there.
int64_t AmMemoryMib(const jobspec::JobSpec& spec);

// Pure. am_resources: by their names in the AM's container.
::hadoop::yarn::ApplicationSubmissionContextProto SubmissionContext(
    const jobspec::JobSpec& spec, const hadoop::yarn::ApplicationId& id,
    const std::map<std::string, StagedFile>& am_resources, const hadoop::rpc::Credentials& credentials);

// The variables of a launch context that select DockerLinuxContainerRuntime; none without an image. Pure.
std::vector<std::pair<std::string, std::string>> DockerEnvironment(const jobspec::Docker& docker);

}  // namespace howdah::backend::yarn::client
