// Elastic roles: growing when containers are granted, going on without tasks that are not replaced.
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

  // Once a task has succeeded the work is nearly done.
  bool MayGrow(const Role& role) const { return (role.ranked() ? roster_.ranked() : role.tally()).succeeded == 0; }

  // --- steps of Settle
  // Releases optional tasks that cannot join any more.
  void DismissOptional();
  // Into roles that are not ranked: no other task is disturbed.
  void JoinUnranked();
  // Stops the ranked tasks that run, to restart with those that could join.
  void GrowRanked();

  // Whether the generation that could start now is as large as it soon can be.
  bool IsComplete();
  // The ranked tasks that are ready become members, and all get their slots.
  void FormGeneration();
  void FireSettle() { settled_ = true; }

  // A member has no connected executor (any more).
  void AwaitReplacement(Task& task);
  void FireMissing(Task& task);
  // Tasks that can join have made up for missing ones.
  void GoOnWithoutOverdue(Role& role);
  // An optional task has lost its container; the job goes on as before.
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
  void FailMissing(Task& task, const policy::Patience& patience);
  void ArmMissing(Task& task, Instant due);

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Units& units_;
  bool settled_ = false;  // tasks that could join have been waited for as long as timeouts.settle says
};

}  // namespace howdah::core
