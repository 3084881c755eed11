// Resources that a role requested and did not use.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// The use of a role's tasks: each figure is the highest of all tasks.
struct RoleUse {
  int tasks = 0;
  Duration ran{};
  int64_t memory_peak_bytes = 0;
  double cpu_seconds = 0;
};

// The value to write into the job file where much less is enough, and what that frees; empty: nothing, or the role ran
// too short to judge.
std::string WasteText(const jobspec::RoleSpec& role, const RoleUse& use);

}  // namespace howdah::core
