// Elastic roles: they grow when containers are granted, and continue without tasks that are not replaced.
#pragma once

#include <vector>

#include "context.h"
#include "howdah/core/policy/elastic.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Growth {
 public:
  explicit Growth(Units& units);

  // A role no longer grows once one of its tasks has succeeded (for a ranked role: any ranked task), because the work
  // is then nearly done.
  bool MayGrow(const Role& role) const { return (role.ranked() ? roster_.ranked() : role.tally()).succeeded == 0; }

  // --- steps of Settle
  // Releases the containers of optional tasks that can no longer join.
  void DismissOptional();
  // Lets joinable tasks join roles that are not ranked. No other task has to restart.
  void JoinUnranked();
  // Stops the running ranked tasks, or asks them to rejoin, so that joinable tasks can join them.
  void GrowRanked();

  // Whether the generation should start now. Returns false while the generation waits for tasks that will be ready
  // soon.
  bool IsComplete();
  // Makes the joinable ranked tasks members, and assigns the slots.
  void FormGeneration();
  void FireSettle() { settled_ = true; }

  // Limits the wait for a replacement of a member that has no connected executor.
  void AwaitReplacement(Task& task);
  void FireMissing(Task& task);
  // Continues without each task whose replacement is overdue, if the role has enough other tasks. Joinable tasks count
  // as other tasks.
  void GoOnWithoutOverdue(Role& role);
  // Handles the loss of the container of an optional task. The job continues without change.
  void LoseOptional(Task& task, const Loss& loss, int replacements);

 private:
  bool Forms(const Role& role) const;
  bool AnyForms() const;
  std::vector<Task*> Joinable(Role& role) const;
  void Join(Task& task);
  void AssignSlots(Role& role);
  void ArmSettle();
  void ResetSettle();
  bool CanGoOnWithout(const Task& task) const;
  void GoOnWithout(Task& task);
  void FailMissing(Task& task, const policy::WaitLimit& wait);
  void ArmMissing(Task& task, Instant due);

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Units& units_;
  bool settled_ = false;  // timeouts.settle has passed since the first joinable task was ready to join
};

}  // namespace howdah::core
