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
    kGiven,      // the reason is given
    kFailure,    // the first failure that fails the job; certain only when all attempts have ended
    kTolerated,  // all tasks that are allowed to fail (`on_failure: tolerate`) have failed
  };
  struct Order {
    JobState state = JobState::kFailed;
    int exit_code = 1;
    Origin origin = Origin::kGiven;
    Reason reason = {};
    std::optional<Duration> grace = {};  // requested by a user, so not extended; nullopt: the job file's grace
  };

  explicit Ending(Units& units);

  void On(const StopRequested& e);
  void FireRunLimit();
  // Returns false if the entry was stale, so that nothing has changed.
  bool FireRole(const TimerQueue::Entry& entry);

  void Begin(Order order);
  // Ends a task of an ending job, when nothing of the task runs (any more).
  void EndTask(Task& task);
  // Makes the next Settle judge the outcome again, because tasks are done or there are fewer of them.
  void Revisit() { judge_ = true; }
  // A step of Settle. Returns false if there was nothing to judge.
  bool Judge();
  // Orders PrepareFinish, once.
  void Prepare();
  // Repeats the orders that the previous AM possibly did not carry out before it died: FinishJob now, PrepareFinish at
  // the next Settle.
  void Resume();
  void On(const FinishPrepared& e);
  // Disarms the `outlive` limits of all roles while attempts are being stopped.
  void DisarmRoles();

  // The job ends, and not because of a task's failure.
  bool ends_without_failure() const { return order_ && order_->origin == Origin::kGiven; }
  bool finished() const { return finished_; }

 private:
  // The `outlive` limit of a role: how long it may still run after all tasks of other roles have ended.
  struct Outliving {
    std::vector<int> roles;  // those other roles; empty if there is no limit
    Timer timer;
  };
  struct FirstFailure {
    Task* task = nullptr;
    int later = 0;  // the number of later failures
    int all = 0;
  };

  void Hurry(const Order& order);
  void Finish();
  void Stop(Task& task, const Order& order);
  void JudgeOutcome();
  void WatchOutliving();
  void FailOrRestart(Order order);
  bool ExplainsEnd(const Task& task, const Task& other) const;
  FirstFailure FirstFailureOf(Origin origin);
  // Sets the advice only if a task's failure ends the job. Otherwise earlier advice remains in the journal.
  Reason ReasonOf(const Order& order, std::optional<std::string>* advice);
  JobChanged FinalEntry();
  std::string WasteAdvice() const;

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  Phase& phase_;
  Units& units_;
  std::vector<Outliving> outliving_;  // by role
  bool judge_ = false;
  std::optional<Order> order_;
  bool preparing_ = false;  // PrepareFinish is ordered and not answered
  bool finished_ = false;
};

}  // namespace howdah::core
