// What would run: the job, its tasks with what each would get, and what goes along. Pure but for the sizes it is given.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::cli {

struct PlannedTask {
  std::string role;
  int index = 0;
  std::vector<int> ranks;
  jobspec::EnvVars environment;  // of local rank 0; hosts, ports and the job's id are examples
};
struct Upload {
  std::string what, from, to;
  std::optional<int64_t> bytes;  // nullopt: it is not on this machine
};
struct Plan {
  jobspec::JobSpec spec;
  std::vector<PlannedTask> tasks;
  std::vector<Upload> uploads;
  std::vector<std::string> refusals, ignored;
};

// size_of: bytes at a path, whole directories too.
Plan MakePlan(const jobspec::JobSpec& spec, const std::function<std::optional<int64_t>(const std::string&)>& size_of);

std::string PlanText(const Plan& plan);
std::string PlanJson(const Plan& plan);

}  // namespace howdah::cli
