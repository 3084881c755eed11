// Jobs with a Horovod driver of the user's own (frameworks/horovod/driver.h): the driver's processes get a directory
// for their plan, and the processes of workers are started by `howdah-agent horovod-slot`, which waits for the plan.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/os/process/spawn.h"
#include "start_order.h"
#include "task_plan.h"

namespace howdah::executor {

// The directory for the plan of one attempt of the driver. Empty for other tasks.
std::string DriverOutput(const TaskPlan& plan, int attempt);

// Creates DriverOutput.
Status MakeDriverOutput(const TaskPlan& plan, int attempt);

// Changes the request of a worker's process so that it starts `howdah-agent horovod-slot`, which then executes the
// program of the request. Leaves the requests of other jobs and tasks as they are.
void WaitForDriverPlan(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot,
                       os::process::SpawnRequest& request);

}  // namespace howdah::executor
