// The names of the checks that `howdah advise` makes. The checks themselves are in howdah::advice.
#pragma once

#include <cstddef>
#include <string_view>

namespace howdah::jobspec {

// The checks, in the order of docs/advice.md.
enum class AdviceCheck {
  kMemoryOver,
  kMemoryUnder,
  kRounding,
  kVcoresOver,
  kVcoresUnder,
  kThreads,
  kGpuIdle,
  kGpuGap,
  kInputBound,
  kGpuLow,
  kGpuMemory,
  kGpuSlowdown,
  kStraggler,
  kImbalance,
  kPsBound,
  kScaling,
  kSpread,
  kQueueWait,
  kGangHold,
  kLocalization,
  kCheckpointNone,
  kCheckpointInterval,
  kRestarts,
  kLost,
  kTail,
  kShm,
  kTimeLimit,
  kLogFlood,
  kRemoteReads,
  kNotebookIdle,
  kNode,
};
inline constexpr size_t kAdviceCheckCount = static_cast<size_t>(AdviceCheck::kNode) + 1;

// Returns the name of a check in `advice.off` and in findings, such as "memory-over".
std::string_view ToText(AdviceCheck check);

}  // namespace howdah::jobspec
