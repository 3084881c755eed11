// The plan of a job: the tasks and uploads of a submission. Pure, except for `size_of`.
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
  jobspec::EnvVars environment;  // variables of local rank 0; hosts, ports and job id are examples
};
struct Upload {
  std::string what, from, to;
  std::optional<int64_t> bytes;  // nullopt if the source is not on this machine
};
struct Plan {
  jobspec::JobSpec spec;
  std::vector<PlannedTask> tasks;
  std::vector<Upload> uploads;
  std::vector<std::string> refusals, ignored;  // as returned by backend::Cluster
};

// `size_of` returns the size in bytes of the file or the whole directory at a path.
Plan MakePlan(const jobspec::JobSpec& spec, const std::function<std::optional<int64_t>(const std::string&)>& size_of);

}  // namespace howdah::client
