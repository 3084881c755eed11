// The life of an attempt: started, running, its processes exiting, stopped, ended.
#pragma once

#include <vector>

#include "context.h"
#include "howdah/core/event.h"
#include "howdah/core/exports.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Attempts {
 public:
  explicit Attempts(Units& units);

  void On(const TaskStarted& e);
  void On(const RankExited& e);
  void On(const TaskStartFailed& e);
  void On(const TaskEnded& e);
  void On(const TaskSaving& e);
  void FireTask(Task& task);

  // The task that an executor's event is about; nullptr: the event is stale.
  Task* Find(const ContainerId& container, int attempt);

  // The task is registered: it starts as soon as its role may. One that is backing off is queued at the end of its
  // pause.
  void Queue(Task& task);
  void StartQueued();  // a step of Settle
  void BackOff(Task& task, Duration pause);
  void CancelBackOff(Task& task);
  // exactly: somebody asked for this grace, which is not extended.
  void Stop(Task& task, Duration grace, bool exactly = false);
  void Stop(Task& task) { Stop(task, context_.spec.checkpoint.grace); }
  // Its executor has connected again: the last order may have been lost with the connection or with an AM.
  void Resend(const Task& task);

  Failure FailureOf(const Task& task, Failure::How how, Instant at) const;
  Failure FailureOf(const Task& task, Failure::How how, Instant at, const Loss& loss) const;
  // An attempt has failed by itself. Other processes of it may still run.
  void NoteFailure(Task& task, Failure failure);
  // Nothing of the attempt is left.
  void Close(Task& task, Instant at);
  // Keeps what the task used so far. Called only where an attempt or its container ends: heartbeats are replayed late,
  // but before these (Heartbeats).
  static void TakeUsage(Task& task);
  void MarkDone(Task& task);

  const Exports& exports() const { return exports_; }

 private:
  void Start(Task& task);
  void CountFailedRank(Task& task, const RankExited& e, Instant at, bool awaited);
  Failure Diagnosed(Task& task, Failure failure, const Diagnosis& diagnosis) const;
  void Settle(Task& task);
  void Arm(Task& task, Instant due);

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Units& units_;
  std::vector<std::vector<int>> queued_;  // by role: indices of registered tasks that are to be started
  Exports exports_;
};

}  // namespace howdah::core
