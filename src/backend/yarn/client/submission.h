// Submits a job as an application of YARN.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/client/yarn_cluster.h"
#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/result.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::client {

// Facts about the cluster that the client passes to the AM.
struct ClusterInventory {
  std::vector<CandidateNode> nodes;
  std::vector<std::string> resource_types;
};

// Facts about the cluster that the submission of a job needs.
struct SubmissionFacts {
  ClusterInventory inventory;
  std::vector<GrowthFacts> growth;
  std::string queue_problem;  // why the queue seems to accept no job; an error of the ResourceManager includes it
};

// Stages the files that the cluster lacks, and submits the job. Returns when the ResourceManager has accepted the
// application.
Result<JobId> SubmitToYarn(HadoopClient& cluster, const YarnOptions& options, const SubmissionFacts& facts,
                           const jobspec::JobSpec& spec, const backend::SubmitOptions& submit);

// Returns the memory of the AM's container: am.memory, or else 32 MiB, plus 256 KiB per task, plus the memory of a
// TensorBoard if the AM runs one.
int64_t AmMemoryMib(const jobspec::JobSpec& spec);

// am_resources: files by their names in the AM's container. least_memory_mib: as in GangTag. Pure.
::hadoop::yarn::ApplicationSubmissionContextProto SubmissionContext(
    const jobspec::JobSpec& spec, const hadoop::yarn::ApplicationId& id,
    const std::map<std::string, StagedFile>& am_resources, const hadoop::rpc::Credentials& credentials,
    int64_t least_memory_mib);

// Returns the variables of a launch context with which YARN starts the container in Docker
// (DockerLinuxContainerRuntime). Returns none if the job file names no image. Pure.
std::vector<std::pair<std::string, std::string>> DockerEnvironment(const jobspec::Docker& docker);

}  // namespace howdah::backend::yarn::client
