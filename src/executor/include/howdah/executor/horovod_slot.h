// `howdah-agent horovod-slot --task driver:0 --host HOST --position N -- PROGRAM ARGV0 ARGV1...`: gets the plan of the
// user's own Horovod driver (frameworks/horovod/driver.h). The plan lists host slots, Horovod's term for the processes
// that a host may run. Executes PROGRAM with the environment variables of the N-th slot of HOST.
// `howdah-agent horovod-plan` runs in the driver's task: it waits for the plan and prints its port and its content.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::executor {

// Returns only after a failure, with the error. After a success, PROGRAM has replaced this program.
Result<int> RunHorovodSlot(const std::vector<std::string>& arguments);

// Waits up to five minutes for the plan.
Result<int> RunHorovodPlan();

}  // namespace howdah::executor
