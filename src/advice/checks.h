// The checks, one function for each row of the table.
#pragma once

#include "table.h"

namespace howdah::advice {

// memory and cores
Findings MemoryOver(const Figures& figures);
Findings MemoryUnder(const Figures& figures);
Findings Rounding(const Figures& figures);
Findings VcoresOver(const Figures& figures);
Findings VcoresUnder(const Figures& figures);
Findings Threads(const Figures& figures);
// GPUs and input
Findings GpuIdle(const Figures& figures);
Findings GpuGap(const Figures& figures);
Findings InputBound(const Figures& figures);
Findings GpuLow(const Figures& figures);
Findings GpuMemory(const Figures& figures);
Findings GpuSlowdown(const Figures& figures);
Findings NotebookIdle(const Figures& figures);
// tasks compared with each other, and runs with each other
Findings Straggler(const Figures& figures);
Findings Imbalance(const Figures& figures);
Findings PsBound(const Figures& figures);
Findings Scaling(const Figures& figures);
Findings Spread(const Figures& figures);
Findings RemoteReads(const Figures& figures);
// waits
Findings QueueWait(const Figures& figures);
Findings GangHold(const Figures& figures);
Findings Localization(const Figures& figures);
Findings Tail(const Figures& figures);
Findings TimeLimit(const Figures& figures);
// failures and their cost
Findings CheckpointNone(const Figures& figures);
Findings CheckpointInterval(const Figures& figures);
Findings Restarts(const Figures& figures);
Findings Lost(const Figures& figures);
Findings Shm(const Figures& figures);
Findings LogFlood(const Figures& figures);
Findings Node(const Figures& figures);

}  // namespace howdah::advice
