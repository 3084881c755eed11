// Finds requests of a job that a cluster can never satisfy. Pure.
#pragma once

#include <string>
#include <vector>

#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::client {

// Returns one sentence with numbers and names for each impossible request. Lost and unhealthy nodes count with their
// full size, because they may become usable again. Nodes that an autoscaler may add count, too.
std::vector<std::string> RefusalsOf(const jobspec::JobSpec& spec, const ClusterFacts& facts);

// Returns why the queue accepts no job of the user, or "" if it does. The ResourceManager may still accept the job: see
// IsQueueOpen.
std::string QueueProblem(const ClusterFacts& facts);

// Whether the ResourceManager may run the job in a queue other than the one that `facts` describes. The FairScheduler
// creates missing queues, and so does the CapacityScheduler below parents with automatic creation. Placement rules of
// both replace the queue "default", which means that the job names none. No RPC reports these settings, so only a
// submission shows whether the ResourceManager accepts the job.
bool IsQueueOpen(const ClusterFacts& facts);

// Returns one sentence for each role whose containers exceed the maximum size. The ResourceManager reports that maximum
// together with a new application id. It is never more than the largest present node has, so larger containers of a
// gang, which are requested only once there is room, may also be as large as the nodes in `growth`.
// (AbstractYarnScheduler.getMaximumResourceCapability)
std::vector<std::string> OversizedContainers(const jobspec::JobSpec& spec, const hadoop::yarn::Resource& maximum,
                                             const std::vector<GrowthFacts>& growth);

}  // namespace howdah::backend::yarn::client
