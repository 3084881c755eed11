// Handles reports about running attempts: progress, hangs, and stack samples of the tasks that are stopped when others
// hang. A rank with a stack that differs from all others is often the rank that the others wait for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "context.h"
#include "howdah/core/event.h"
#include "reason.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Monitor {
 public:
  explicit Monitor(Units& units);

  void On(const TaskProgressed& e);
  void On(const TaskServes& e);
  void On(const TaskHung& e);
  void On(const StackSampled& e);

  std::optional<ReportedCheckpoint> NewestCheckpoint();
  // Whether to sample the stacks of the attempt before it is stopped because another task hangs. A hung attempt has
  // already been sampled, and a kill of the job does not wait for samples.
  bool NeedsProbe(const Task& task) const;
  // The sentence about the task's failure. For a hang, it includes the stacks of the other tasks.
  Reason HowFailed(const Task& task);

 private:
  void FindStraggler(Task& task);
  void NoteStack(Task& task, std::string_view stack);

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Units& units_;
};

}  // namespace howdah::core
