// For tests: small jobs, their processes, and environments as text with one variable per line.
#pragma once

#include <string>

#include "howdah/frameworks/common/process.h"

namespace howdah::frameworks::common {

using jobspec::Framework;
using jobspec::RoleKind;
using jobspec::RoleSpec;

inline RoleSpec Role(std::string name, RoleKind kind = RoleKind::kWorker, int processes = 1) {
  RoleSpec role;
  role.name = std::move(name);
  role.kind = kind;
  role.processes = processes;
  return role;
}

inline RoleSpec Chief(int processes = 1) {
  RoleSpec role = Role("chief", RoleKind::kWorker, processes);
  role.chief = true;
  return role;
}

inline jobspec::JobSpec JobOf(Framework framework, std::vector<RoleSpec> roles) {
  jobspec::JobSpec spec;
  spec.name = "mnist";
  spec.framework = framework;
  spec.roles = std::move(roles);
  return spec;
}

inline ProcessInfo At(int role, int index, int local_rank = 0) {
  return {.job_id = "job-1", .task = {role, index}, .local_rank = local_rank, .attempt = 2, .generation = 1};
}

inline std::string Lines(const jobspec::EnvVars& env) {
  std::string text;
  for (const auto& [name, value] : env) text += name + "=" + value + "\n";
  return text;
}

}  // namespace howdah::frameworks::common
