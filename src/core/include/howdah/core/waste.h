// Policy: what a role asked for and did not need.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// What the tasks of a role used: of each figure that of the task that used most.
struct RoleUse {
  int tasks = 0;
  Duration ran{};
  int64_t memory_peak_bytes = 0;
  double cpu_seconds = 0;
};

// What to write instead, where much less would do, and what that frees; empty: nothing to say, or it did not run for
// long enough to tell.
std::string WasteText(const jobspec::RoleSpec& role, const RoleUse& use);

}  // namespace howdah::core
