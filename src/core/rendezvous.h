// Ranked tasks that continue in another generation without a restart (elastic Horovod). Their framework reports the
// rendezvous step of each task. When a generation breaks, or a larger one is possible, the tasks that are able to
// rejoin wait for a slot in the next generation, while the others are stopped or have ended. The next generation forms
// as usual. The waiting tasks get their slots when the tasks that start are ready.
#pragma once

#include <string>

#include "context.h"
#include "howdah/core/event.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Rendezvous {
 public:
  explicit Rendezvous(Units& units);

  void On(const RendezvousReported& e);
  // Call it when another AM has taken over. The rendezvous server ended with the previous AM. Returns true if the
  // ranked tasks can continue without it, because all of them have joined. They restart when their generation breaks.
  bool SurvivesAm();
  void FireRejoinLimit();

  // Whether a drain need not stop the task, because the task leaves its generation by itself and waits for its next
  // slot.
  bool Rejoins(const Task& task) const;
  // Whether the other ranked tasks cannot continue before this task has joined them.
  bool IsAwaited(const Task& task) const;
  // Whether the generation has begun to start, while tasks that rejoin wait until the starting tasks are ready.
  bool forming() const;
  // Whether a task in the role of rank 0 rejoins. Rank 0 sends the state in its memory to the other ranks, so the state
  // is lost without such a task.
  bool SomeStateStays() const;

  // Asks the ranked tasks to leave their generation if all of them have joined it. In all other cases the tasks detect
  // by themselves that others are gone.
  void LeaveTogether();
  // Asks the ranked tasks to leave for a larger generation. Returns false if they have to be stopped instead.
  bool LeaveFor(const Reason& why);
  // A step of Settle: gives the waiting tasks their slots.
  void Rejoin();
  // Stops the waiting tasks, so that their containers are released like those of any incomplete gang. If they were
  // kept, two jobs could block each other, each holding containers that the other job needs.
  void GiveUp();
  void BeginGeneration();
  std::string HowTheyRecover() const;

 private:
  bool AllJoined() const;
  void Ask();

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Units& units_;
  bool unreachable_ = false;     // the tasks of this generation cannot be asked to leave
  std::optional<Reason> asked_;  // why the ranked tasks were asked to leave; nullopt if they were not
};

}  // namespace howdah::core
