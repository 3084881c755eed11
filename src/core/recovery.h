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

  // Decides the remedy for the task's failure, and begins a drain or the end of the job at once. Other remedies wait
  // until the attempt has ended (Attempts::Close).
  void React(Task& task);
  void RestartAlone(Task& task);
  // Stops the attempts of the scope. reason: a sentence for people, to which the way of recovery is appended.
  void BeginDrain(Phase::Drain drain, const std::string& reason);
  // Begins a drain of the ranked tasks for a reason other than a failure.
  void DrainRanked(std::string why, bool rejoin = true);
  void StopScope();
  // No attempt of the drain's scope is open, except those that wait to rejoin.
  bool DrainIsOver() const;
  // A step of Settle: only now it is certain which failure was first.
  void FinishDrain();
  // Begins the phase Running if this is the first running task of the generation.
  void MarkRunning();

  int BudgetOf(const Task& task) const;
  int JobBudget() const { return context_.spec.restart_max - job_restarts_; }
  bool FailsJob(const Task& task) const;
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
  bool WidenToJob(const Task& first, const std::string& why);
  void BeginGeneration(Scope scope, Duration pause, const std::string& reason);

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
