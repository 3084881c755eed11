// The state machine of a job. A job is in one phase at a time, and only this class changes the phase.
//
//    Queued
//       |  AmStarted
//       v        first task RUNNING
//    Forming -----------------------------> Running
//     ^  ^  \                                  |   a task's failure restarts others; a role was scaled or grows;
//     |  |   \  the same, while it starts      |   a rank left its peers; an AM failover that ranks do not survive
//     |  |    `-------------.    .-------------'
//     |  | pause over       v    v
//     |  Backoff <-------> Draining --.  also the job's other tasks have to stop
//     |       the same,     |    ^    |
//     |  during the pause   |    `----'
//     `---------------------'
//       all attempts of the scope have ended, or wait to rejoin: the next generation begins, after a pause or at once
//
//   any phase -----> Ending: a failure without a restart left, the outcome, a limit, a kill.  Then FinishJob.
//
// In the first generation, Forming covers the whole job, and each gang starts when it is complete (Assembly). After a
// restart, Forming covers the scope of the restart: none of its tasks starts before all of them are registered. If
// tasks start independently, they start as soon as the pause is over.
#pragma once

#include <optional>
#include <string>

#include "context.h"
#include "failure.h"
#include "task.h"

namespace howdah::core {

class Phase {
 public:
  enum class Kind { kQueued, kForming, kRunning, kDraining, kBackoff, kEnding };
  // Attempts of the scope are being stopped, so that the whole scope can restart.
  struct Drain {
    Scope scope = Scope::kRanked;
    Reason why;          // a clause; empty if the reason is a task's failure
    bool rejoin = true;  // do not stop tasks that can continue in another generation
  };
  // While this is set, no task of the scope starts.
  struct Hold {
    Scope scope = Scope::kAll;
    // True: also wait until all tasks of the scope are registered, except those with unfinished dependencies.
    bool everyone = false;
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
  // A restart has not released its scope yet. If another drain interrupts the restart, the hold continues, because the
  // job still waits for the same tasks.
  bool holds() const { return hold_.has_value(); }
  bool Holds(bool ranked) const { return hold_ && Covers(hold_->scope, ranked); }
  bool HoldsEveryone(bool ranked) const { return Holds(ranked) && hold_->everyone; }
  bool HoldsRankedOnly() const { return hold_ && hold_->scope == Scope::kRanked; }
  // Whether a task may start as far as restarts are concerned. ranked: whether its role is ranked.
  bool MayStart(bool ranked) const { return !Holds(ranked) && !(draining() && Covers(drain_.scope, ranked)); }
  // Attempts are being stopped, or the scope of a restart is on hold.
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
  void Enter(Kind to);

  Kind kind_ = Kind::kQueued;
  bool am_started_ = false;
  int generation_ = 0;
  Drain drain_;
  std::optional<Hold> hold_;
};

// Whether the diagram above has an arrow between two phases. Phase aborts on every other transition.
bool Leads(Phase::Kind from, Phase::Kind to);

}  // namespace howdah::core
