// The state machine of a job: one phase at a time, and the only place that changes it.
//
//   AmStarted
//       |
//       v        first task RUNNING
//    Forming -----------------------------> Running
//     ^  ^  \                                  |   a task's failure restarts others; a role was scaled or grows;
//     |  |   \  the same, while it starts      |   a rank left its peers
//     |  |    `-------------.    .-------------'
//     |  | pause over       v    v
//     |  Backoff <-------- Draining --.  also the job's other tasks have to stop
//     |                     |    ^    |
//     `---------------------'    `----'
//       all attempts of the scope have ended, or wait to rejoin: the next generation begins
//
//   any phase -----> Ending: a failure without a restart left, the outcome, a limit, a kill.  Then FinishJob.
//
// Forming is about the whole job in its first generation, where each gang starts when it is complete (Assembly). After
// a restart the scope is held: none of its tasks starts before all of them are registered, or at least the pause is
// over.
#pragma once

#include <optional>
#include <string>

#include "context.h"
#include "task.h"

namespace howdah::core {

class Phase {
 public:
  enum class Kind { kQueued, kForming, kRunning, kDraining, kBackoff, kEnding };
  // Attempts of the scope are being stopped so that all of it can restart.
  struct Drain {
    Scope scope = Scope::kRanked;
    std::string why;     // if it is not the failure of a task: a clause
    bool rejoin = true;  // tasks that can go on in another generation are not stopped
  };
  // No task of the scope starts.
  struct Hold {
    Scope scope = Scope::kAll;
    bool everyone = false;  // until all of the scope are registered whose dependencies have finished
  };

  Kind kind() const { return kind_; }
  bool queued() const { return !am_started_; }
  bool ending() const { return kind_ == Kind::kEnding; }
  bool draining() const { return kind_ == Kind::kDraining; }
  bool running() const { return kind_ == Kind::kRunning; }
  // The job is starting or recovering.
  bool waits() const { return !queued() && !running() && !ending(); }
  int generation() const { return generation_; }

  // Of the phase Draining.
  const Drain& drain() const { return drain_; }
  bool Drains(const Task& task) const { return draining() && Covers(drain_.scope, task.ranked); }
  // A restart that has not released its scope yet. It lasts through a drain that interrupts it: until then the job
  // gathers the same tasks.
  bool holds() const { return hold_.has_value(); }
  bool Holds(bool ranked) const { return hold_ && Covers(hold_->scope, ranked); }
  bool HoldsEveryone(bool ranked) const { return Holds(ranked) && hold_->everyone; }
  bool HoldsRankedOnly() const { return hold_ && hold_->scope == Scope::kRanked; }
  // A task of such a role may start as far as restarts are concerned.
  bool MayStart(bool ranked) const { return !Holds(ranked) && !(draining() && Covers(drain_.scope, ranked)); }
  // Attempts are being stopped, or a restart has not released its scope.
  bool restarting() const { return draining() || holds(); }

  void Form(int generation);  // AmStarted
  void BeginDrain(Drain drain);
  void WidenDrain() { drain_.scope = Scope::kAll; }
  void StopRejoins() { drain_.rejoin = false; }
  // The drain is over.
  void BeginGeneration(Hold hold, bool backoff);
  void EndBackoff();
  void ReleaseHold() { hold_.reset(); }
  void Run();
  void End();

 private:
  static bool Covers(Scope scope, bool ranked) { return scope == Scope::kAll || ranked; }
  void Enter(Kind to);

  Kind kind_ = Kind::kQueued;
  bool am_started_ = false;
  int generation_ = 0;
  Drain drain_;
  std::optional<Hold> hold_;
};

}  // namespace howdah::core
