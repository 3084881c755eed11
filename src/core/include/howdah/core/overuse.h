// Memory that a role's tasks used without a request.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// The highest memory peak of a role's tasks.
struct RolePeak {
  int64_t memory_bytes = 0;  // 0: not measured
  int task = 0;              // the index of the task with this peak
};

// Advice for a role if one of its tasks used clearly more memory than requested: the task, and a sufficient setting.
// Empty if there is no such task.
std::string OveruseText(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role, const RolePeak& peak);

}  // namespace howdah::core
