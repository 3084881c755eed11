// Reports of running attempts: progress, hangs, and where their processes are when others hang. A rank whose
// stack differs from all others' is often the one that the others wait for.
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
  void On(const TaskHung& e);
  void On(const StackSampled& e);

  std::optional<ReportedCheckpoint> NewestCheckpoint();
  // Whether the attempt's stacks are sampled before it is stopped: because others hang. One that hangs itself has been
  // sampled; a kill does not wait.
  bool NeedsProbe(const Task& task) const;
  // The sentence about the task's failure; of a hang with the stacks of the other tasks.
  std::string HowFailed(const Task& task);

 private:
  void FindStraggler(Task& task);
  void NoteStack(Task& task, std::string_view stack);

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Units& units_;
};

}  // namespace howdah::core
