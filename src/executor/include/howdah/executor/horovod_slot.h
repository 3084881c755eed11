// `howdah-agent horovod-slot --task driver:0 --host HOST --position N -- PROGRAM ARGV0 ARGV1...`: gets the plan of the
// user's own Horovod driver (frameworks/horovod/driver.h) and executes PROGRAM with the variables of its slot.
// `howdah-agent horovod-plan` runs in the driver's task: it waits for the plan and prints its port and its content.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::executor {

// Returns only an error: after a success PROGRAM runs in place of this one.
Result<int> RunHorovodSlot(const std::vector<std::string>& arguments);

// Waits up to five minutes.
Result<int> RunHorovodPlan();

}  // namespace howdah::executor
