// The state machine of a job. A job is in one phase at a time, and only this class changes the phase.
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
// In the first generation, Forming covers the whole job, and each gang starts when it is complete (Assembly). After a
// restart, Forming holds the scope of the restart: none of its tasks starts before all of them are registered (or, if
// tasks start independently, before the pause is over).
#pragma once

#include <optional>
#include <string>

#include "context.h"
#include "task.h"

namespace howdah::core {

class Phase {
 public:
  enum class Kind { kQueued, kForming, kRunning, kDraining, kBackoff, kEnding };
  // Attempts of the scope are being stopped, so that the whole scope can restart.
  struct Drain {
    Scope scope = Scope::kRanked;
    std::string why;     // a clause; empty if a task's failure is the reason
    bool rejoin = true;  // tasks that can go on in another generation are not stopped
  };
  // While this is set, no task of the scope starts.
  struct Hold {
    Scope scope = Scope::kAll;
    bool everyone = false;  // until all tasks of the scope are registered, except those with unfinished dependencies
  };

  Kind kind() const { return kind_; }
  bool queued() const { return !am_started_; }
  bool ending() const { return kind_ == Kind::kEnding; }
  bool draining() const { return kind_ == Kind::kDraining; }
  bool running() const { return kind_ == Kind::kRunning; }
  // The job is starting or recovering.
  bool waits() const { return !queued() && !running() && !ending(); }
  int generation() const { return generation_; }

  // Valid in the phase Draining.
  const Drain& drain() const { return drain_; }
  bool Drains(const Task& task) const { return draining() && Covers(drain_.scope, task.ranked); }
  // A restart has not released its scope yet. The hold continues through a drain that interrupts the restart, because
  // until then the job still waits for the same tasks.
  bool holds() const { return hold_.has_value(); }
  bool Holds(bool ranked) const { return hold_ && Covers(hold_->scope, ranked); }
  bool HoldsEveryone(bool ranked) const { return Holds(ranked) && hold_->everyone; }
  bool HoldsRankedOnly() const { return hold_ && hold_->scope == Scope::kRanked; }
  // Whether restarts allow a task to start. ranked: whether its role is ranked.
  bool MayStart(bool ranked) const { return !Holds(ranked) && !(draining() && Covers(drain_.scope, ranked)); }
  // Attempts are being stopped, or a restart has not released its scope.
  bool restarting() const { return draining() || holds(); }

  void Form(int generation);  // AmStarted
  void BeginDrain(Drain drain);
  void WidenDrain() { drain_.scope = Scope::kAll; }
  void StopRejoins() { drain_.rejoin = false; }
  // Ends the drain and begins the next generation.
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
