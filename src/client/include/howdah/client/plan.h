// The plan of a job: the tasks and uploads of a submission. Pure, except for `size_of`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/core/exports.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::client {

struct PlannedTask {
  TaskId id;
  std::vector<int> ranks;
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
  core::PeerGroup cluster;                     // examples
  core::Exports exports;                       // likewise

  const jobspec::RoleSpec& RoleOf(const PlannedTask& task) const;
};

// `size_of` returns the size in bytes of the file or the whole directory at a path.
// The environment may contain the addresses of all tasks. So the environments of all tasks together can need much more
// memory than the plan.
Plan MakePlan(const jobspec::JobSpec& spec, const std::function<std::optional<int64_t>(const std::string&)>& size_of);

// Returns the variables of local rank 0; hosts, ports and job id are examples.
jobspec::EnvVars EnvironmentOf(const Plan& plan, const PlannedTask& task);

}  // namespace howdah::client
