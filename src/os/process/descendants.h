// Visits the processes below a process.
#pragma once

#include <sys/types.h>

#include <functional>

#include "proc.h"

namespace howdah::os::process {

// Visits the living processes below `root`, parents before children. Reads the children of a process before the visit,
// because a visit may kill the process.
void ForEachDescendant(pid_t root, const std::function<void(pid_t pid, const ProcStat& stat)>& visit);

}  // namespace howdah::os::process
