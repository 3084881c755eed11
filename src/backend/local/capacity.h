// What this machine can give to jobs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::local {

// What the local place may hand out, all jobs together.
struct Capacity {
  int64_t memory_bytes = 0;  // 90 % of the smaller of installed memory and cgroup limit
  int vcores = 0;
  std::vector<int> gpus;  // indices
};

// What one container asks for.
struct Want {
  std::string container;
  int64_t memory_bytes = 0;
  int vcores = 0;
  int gpus = 0;
  bool optional = false;  // its job goes on without it: it comes after whatever any job cannot go on without
};

// with_gpus: asks `nvidia-smi` of path for the GPUs, which takes its time; else they are left out.
Capacity CapacityOfThisMachine(std::string_view path, bool with_gpus);

// Whether it is worth asking for the GPUs.
bool WantsGpus(const jobspec::JobSpec& spec);

// Why the machine can never give all of wants at one time, with the numbers; empty: it can. vcores refuse nothing.
std::string WhyNever(const Capacity& capacity, const std::vector<Want>& wants);

}  // namespace howdah::backend::local
