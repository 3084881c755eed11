// Roles that have not become ready although other roles wait for them (After::ready).
#pragma once

#include <string>

#include "context.h"
#include "phase.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class UnreadyRoles {
 public:
  explicit UnreadyRoles(Units& units);

  // Arms the limit after which a change of the reason is recorded. Call it when a task of a role with a readiness probe
  // has started or has become ready. The cost does not depend on the number of tasks.
  void Watch();
  void Fire();
  // Call it before the tasks restart: the reason of the restart replaces the recorded text.
  void Forget();

 private:
  // A role that is not ready, and the first role that waits for it; nullptr if there is none.
  struct Wait {
    const Role* waiting = nullptr;
    const Role* unready = nullptr;
  };
  Wait First() const;
  std::string Text() const;

  Context& context_;
  const Roster& roster_;
  class Recorder& recorder_;
  const Phase& phase_;
  std::string recorded_;
};

}  // namespace howdah::core
