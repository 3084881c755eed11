// This machine as a cluster of one node, from its capacity and the leases of running jobs. Pure.
#pragma once

#include <string>
#include <vector>

#include "capacity.h"
#include "howdah/backend/cluster_info.h"
#include "lease_registry.h"

namespace howdah::backend::local {

// One node with the memory, cores and GPUs that jobs may use, and one application per job. The vcores in use may exceed
// those of the machine, because vcores never block a job.
ClusterInfo MachineInfo(const std::string& host, const Capacity& capacity, const std::vector<JobLeases>& jobs);

}  // namespace howdah::backend::local
