// The plan of a job: the tasks and uploads of a submission. Pure, except for the file sizes it is given.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::client {

struct PlannedTask {
  std::string role;
  int index = 0;
  std::vector<int> ranks;
  jobspec::EnvVars environment;  // of local rank 0; hosts, ports and the job's id are examples
};
struct Upload {
  std::string what, from, to;
  std::optional<int64_t> bytes;  // nullopt: not on this machine
};
struct Plan {
  jobspec::JobSpec spec;
  std::vector<PlannedTask> tasks;
  std::vector<Upload> uploads;
  std::vector<std::string> refusals, ignored;  // backend::Cluster's
};

// size_of: bytes at a path, of whole directories too.
Plan MakePlan(const jobspec::JobSpec& spec, const std::function<std::optional<int64_t>(const std::string&)>& size_of);

}  // namespace howdah::client
