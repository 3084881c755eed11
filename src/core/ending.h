// The end of the job: decides when and why the job ends, and orders the last actions until FinishJob.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "context.h"
#include "howdah/core/change.h"
#include "howdah/core/event.h"
#include "phase.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Ending {
 public:
  enum class Origin {
    kGiven,      // the order contains the reason
    kFailure,    // the reason is the first failure that fails the job; it is certain only when all attempts have ended
    kTolerated,  // the reason is that all tasks that may fail (`on_failure: tolerate`) have failed
  };
  struct Order {
    JobState state = JobState::kFailed;
    int exit_code = 1;
    Origin origin = Origin::kGiven;
    Reason reason = {};
    std::optional<Duration> grace = {};  // a grace that a user requested is not extended; nullopt: the job file's grace
  };

  explicit Ending(Units& units);

  void On(const StopRequested& e);
  void FireRunLimit();
  // Returns false if the entry was stale and nothing has changed.
  bool FireRole(const TimerQueue::Entry& entry);

  void Begin(Order order);
  // Ends a task of a job that is ending. Call it when no process of the task runs.
  void EndTask(Task& task);
  // Makes the next Settle judge the outcome again. Call it when a task is done or a role has become smaller.
  void Revisit() { judge_ = true; }
  // A step of Settle. Returns false if there was nothing to judge.
  bool Judge();
  // Orders PrepareFinish. Later calls do nothing.
  void Prepare();
  // Repeats the orders that the previous AM possibly did not carry out before it died: FinishJob now, PrepareFinish at
  // the next Settle.
  void Resume();
  void On(const FinishPrepared& e);
  // Disarms the limits that depend on which roles are done. Call it when a drain begins.
  void DisarmRoles();

  // Whether the job ends for a reason other than a task's failure.
  bool ends_without_failure() const { return order_ && order_->origin == Origin::kGiven; }
  bool finished() const { return finished_; }

 private:
  // The `outlive` limit of a role: how long the role may still run after all tasks of certain other roles have ended.
  struct Outliving {
    std::vector<int> roles;  // the other roles; empty if this role has no limit
    Timer timer;
  };
  struct FirstFailure {
    Task* task = nullptr;
    int because = 0;  // the number of later failures that follow from the first one
    int too = 0;      // the number of other later failures
    int all = 0;
  };

  void Hurry(const Order& order);
  void Finish();
  void Stop(Task& task, const Order& order);
  void JudgeOutcome();
  void WatchOutliving();
  void FailOrRestart(Order order);
  bool ExplainsEnd(const Task& task, const Task& other) const;
  static bool FollowsFrom(const Task& task, const Task& first);
  FirstFailure FirstFailureOf(Origin origin);
  // Sets the advice only if a task's failure ends the job. Otherwise earlier advice remains in the journal.
  Reason ReasonOf(const Order& order, std::optional<std::string>* advice);
  JobChanged FinalEntry();
  std::string MemoryAdvice() const;

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Phase& phase_;
  Units& units_;
  std::vector<Outliving> outliving_;  // the limit of each role
  bool judge_ = false;
  std::optional<Order> order_;
  bool preparing_ = false;  // PrepareFinish is ordered and not answered
  bool finished_ = false;
};

}  // namespace howdah::core
