// Restarts: of one task, of the ranked tasks, of the whole job. What a failure leads to, and the way from one
// generation to the next.
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

  // Decides the remedy of the task's failure, and begins at once what must not wait. The rest happens when the attempt
  // has ended (Attempts::Close).
  void React(Task& task);
  void RestartAlone(Task& task);
  // The attempts of the scope are stopped; reason: a sentence for people, followed by how the job recovers.
  void BeginDrain(Phase::Drain drain, const std::string& reason);
  // Of a drain whose cause is not a failure: its `why` is the reason.
  void DrainRanked(std::string why, bool rejoin = true);
  void StopScope();
  // No attempt of the drain's scope is open, but for those that wait to rejoin.
  bool DrainIsOver() const;
  // A step of Settle: only now the first failure is known.
  void FinishDrain();
  // A task RUNNING may be the first of the generation.
  void MarkRunning();

  int BudgetOf(const Task& task) const;
  int JobBudget() const { return context_.spec.restart_max - job_restarts_; }
  bool FailsJob(const Task& task) const;
  // Whether the task may be started again although it is done.
  bool MayRestart(const Task& task) const;
  // Since when the job runs, in any generation.
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
