// The resources of this machine that are available to jobs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// The resources that all jobs share.
struct Capacity {
  int64_t memory_bytes = 0;  // 90 % of the smaller of installed memory and cgroup limit
  int vcores = 0;
  std::vector<int> gpus;  // indices of the GPUs
};

// The request for one container.
struct ContainerRequest {
  std::string container;
  int64_t memory_bytes = 0;
  int vcores = 0;
  int gpus = 0;
  bool optional = false;  // the job can run without this container, so required requests are served first
};

// with_gpus: whether to list the GPUs, too. Listing them takes time, because it runs the `nvidia-smi` found in path.
Capacity MachineCapacity(std::string_view path, bool with_gpus);

// Whether any role requests GPUs.
bool RequestsGpus(const jobspec::JobSpec& spec);

// Explains, with numbers, why this machine can never grant all requests at the same time. Returns an empty text if it
// can. The number of vcores is not limited.
std::string ImpossibleRequest(const Capacity& capacity, const std::vector<ContainerRequest>& requests);

}  // namespace howdah::backend::local
