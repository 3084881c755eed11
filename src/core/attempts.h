// Manages the life of each attempt: starts and stops it, follows its processes, and closes it when it has ended.
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
  // Moves the time limits of the delayed orders: they count from the time at which the orders are performed.
  void On(const OrdersDelayed& e);
  void On(const TaskSaving& e);
  void FireTask(Task& task);

  // The task that an executor's event refers to. Returns nullptr if the event is stale.
  Task* Find(const ContainerId& container, int attempt);

  // Queues a registered task. It starts as soon as its role may start. A task that is backing off is queued at the end
  // of its pause.
  void Queue(Task& task);
  void StartQueued();  // a step of Settle
  void BackOff(Task& task, Duration pause);
  void CancelBackOff(Task& task);
  // exactly: a user requested this grace, so it must not be extended.
  void Stop(Task& task, Duration grace, bool exactly = false);
  void Stop(Task& task) { Stop(task, context_.spec.checkpoint.grace); }
  // Repeats the last order when an executor has connected again. The order may have been lost with the connection or
  // with an AM.
  void Resend(const Task& task);

  // A failure that began with the loss of the task's container, or with an order of the backend.
  Failure FailureOf(const Task& task, Cause::Kind kind, Instant at, const Loss& loss) const;
  // Records the failure of an attempt, and begins its remedy. Other processes of the attempt may still run.
  void NoteFailure(Task& task, Failure failure);
  // Ends the attempt after its last process has ended.
  void Close(Task& task, Instant at);
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
  std::vector<std::vector<int>> queued_;  // by role: the indices of registered tasks that are to be started
  Exports exports_;
};

}  // namespace howdah::core
