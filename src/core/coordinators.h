// Tasks that coordinate the others reach them only where they were when the coordinator started
// (FrameworkRules::coordinators): it starts when all are registered, and restarts when the membership has changed.
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

  // A task has joined or moved: what, as a clause.
  void Report(const Task& task, const std::string& what);
  // A coordinator starts when every task is registered that it waits for, and soon when optional tasks still start.
  bool MayStart();
  // A coordinator starts, with the current members.
  void Forget();
  // A step of Settle: restarts the coordinators that do not know of a change.
  void Update();

 private:
  bool AllRegistered() const;
  bool MayWait();

  Context& context_;
  Roster& roster_;
  Units& units_;
  std::string changes_;         // of the membership, that the coordinators do not know of
  std::optional<Instant> due_;  // when they restart, though more changes are expected
};

}  // namespace howdah::core
