// Ranked tasks that go on in another generation without a restart (elastic Horovod). Their framework reports how far
// each is; when a generation breaks, or a larger one is possible, those that can wait for a slot in the next one, while
// the others are stopped or have ended. The next generation forms as always; a waiting task gets its slot when those
// that start are ready.
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
  // Another AM has taken over. true: the ranked tasks go on, although their rendezvous ended with the last AM; they
  // restart when their generation breaks.
  bool SurvivesAm();
  void FireRejoinLimit();

  // A drain does not stop the task: it comes to wait for its next slot by itself.
  bool Rejoins(const Task& task) const;
  // The other ranked tasks cannot go on before this one has joined them.
  bool IsAwaited(const Task& task) const;
  // The generation has begun to start, and tasks that rejoin wait for the others to be ready.
  bool forming() const;
  // Rank 0 hands the state in its memory to the others: one of its role's tasks has to be among those that rejoin.
  bool SomeStateStays() const;

  // All ranked tasks are joined: asks them to leave. Otherwise they notice by themselves that others are gone.
  void LeaveTogether();
  // Asks the ranked tasks to leave for a larger generation. false: they have to be stopped for it.
  bool LeaveFor(const std::string& why);
  // A step of Settle: those that wait get their slots.
  void Rejoin();
  // Tasks that wait hold containers that another job may lack while it holds what this one lacks. They are stopped, and
  // their containers released, as those of any gang.
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
  bool unreachable_ = false;  // in this generation: the tasks cannot be asked to leave
  std::string asked_;         // why the ranked tasks were asked to leave; empty: they were not
};

}  // namespace howdah::core
