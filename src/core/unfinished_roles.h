// Roles whose tasks keep the job from ending although all tasks of another role have ended. Often such a role is a
// server that the job file does not declare as a service.
#pragma once

#include <string>
#include <vector>

#include "context.h"
#include "phase.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class UnfinishedRoles {
 public:
  explicit UnfinishedRoles(Units& units);

  // Names the roles that have ended and the tasks that still run. Empty if there are none, or if the job file provides
  // for this state: by a chief, by `outlive`, or because another role starts after the role that has ended.
  std::string Text() const;
  // Arms the limit after which a change of Text() is recorded. Call it when a task is done. The cost does not depend on
  // the number of tasks.
  void Watch();
  void Fire();
  // Call it before the tasks restart: the reason of the restart replaces the recorded text.
  void Forget();

 private:
  // The roles that have ended while another role that the job waits for has not.
  std::vector<std::string> EndedRoles() const;

  Context& context_;
  const Roster& roster_;
  class Recorder& recorder_;
  const Phase& phase_;
  std::string recorded_;
};

}  // namespace howdah::core
