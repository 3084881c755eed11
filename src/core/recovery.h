// Restarts of one task, of the ranked tasks or of the whole job. Decides the remedy for each failure, and leads the job
// from one generation to the next.
#pragma once

#include <optional>
#include <string>

#include "context.h"
#include "howdah/core/policy/bad_nodes.h"
#include "phase.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Recovery {
 public:
  explicit Recovery(Units& units);

  // Decides the remedy for the task's failure. Begins a drain, or the end of the job, at once. All other remedies begin
  // when the attempt has ended (Attempts::Close).
  void React(Task& task);
  void RestartAlone(Task& task);
  // Stops the attempts of the scope.
  void BeginDrain(Phase::Drain drain, const Reason& why);
  // Begins a drain of the ranked tasks for a reason other than a failure.
  void DrainRanked(const Reason& why, bool rejoin = true);
  void StopScope();
  // Returns true if no attempt in the drain's scope is open, except attempts that wait to rejoin.
  bool DrainIsOver() const;
  // A step of Settle: begins the next generation after a drain, or widens the drain to the whole job. Call it only when
  // DrainIsOver(): before that, it is not certain which failure was first.
  void FinishDrain();
  // Begins the phase Running if this is the first running task of the generation.
  void MarkRunning();

  int BudgetOf(const Task& task) const;
  int JobBudget() const { return context_.spec.restart_max - job_restarts_; }
  bool FailsJob(const Task& task) const;
  // Whether the task, which has succeeded, starts again because of `restart.always`.
  bool RestartsAfterSuccess(Task& task);
  // Whether the task, whose attempt has ended, goes on with another attempt.
  bool GoesOn(Task& task);
  // Whether the task may be started again although it is done.
  bool MayRestart(const Task& task) const;
  // When the job first ran, in any generation; nullopt if it has not run yet.
  const std::optional<Instant>& running_since() const { return running_since_; }

  void SeeNode(const std::string& node) { nodes_.Seen(node); }
  void SendAvoidedNodes();

 private:
  Remedy Decide(const Task& task) const;
  void BlameNode(const Task& task);
  Duration Charge(Task& task);
  void Revive(Task& task);
  Task* FirstFailure();
  bool WidenToJob(const Task& first, const Reason& why);
  void BeginGeneration(Scope scope, Duration pause, const Reason& why);

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Phase& phase_;
  Units& units_;
  policy::BadNodes nodes_;
  int job_restarts_ = 0;
  std::optional<Instant> running_since_;
};

}  // namespace howdah::core
