// Coordinators: tasks that read the addresses of the other tasks only when they start (FrameworkRules::coordinators). A
// coordinator starts when all tasks are registered, and restarts when the membership has changed.
#pragma once

#include <optional>
#include <string>

#include "context.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Coordinators {
 public:
  explicit Coordinators(Units& units);

  // Records a membership change: a task has joined or moved. what: a clause that describes the change.
  void Report(const Task& task, const std::string& what);
  // Whether a coordinator may start: all tasks that it needs are registered. It also waits for optional tasks that are
  // starting, for at most timeouts.settle.
  bool MayStart();
  // Discards the pending membership changes, because a coordinator starts with the current members.
  void Forget();
  // A step of Settle: restarts the coordinators if membership changes are pending.
  void Update();

 private:
  bool AllRegistered() const;
  bool MayWait();

  Context& context_;
  Roster& roster_;
  Units& units_;
  std::string changes_;         // pending membership changes, which the running coordinators have not received
  std::optional<Instant> due_;  // the time at which the coordinators restart even if more changes are expected
};

}  // namespace howdah::core
