// The end of the job: when it ends, why, and what is left to do until FinishJob.
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
  enum class Cause {
    kFixed,      // the reason is given
    kFailure,    // the first failure that fails the job; known for certain when all attempts have ended
    kTolerated,  // all tasks whose failure is tolerated have failed
  };
  struct Order {
    JobState state = JobState::kFailed;
    int exit_code = 1;
    Cause cause = Cause::kFixed;
    std::string reason = {};
    std::optional<Duration> grace = {};  // somebody asked for it: it is not extended; none: the job file's
  };

  explicit Ending(Units& units);

  void On(const StopRequested& e);
  void FireRunLimit();
  void FireRole(const TimerQueue::Entry& entry);

  void Begin(Order order);
  // The job ends, and nothing of this task runs (any more).
  void EndTask(Task& task);
  // Tasks are done, or there are fewer of them: the outcome is judged again by the next Settle.
  void Revisit() { judge_ = true; }
  // A step of Settle. false: nothing was to be judged.
  bool Judge();
  // Orders PrepareFinish, once.
  void Prepare();
  // Repeats the orders that the previous AM may not have performed before it died: FinishJob now, PrepareFinish at the
  // next Settle.
  void Resume();
  void On(const FinishPrepared& e);
  // No role is limited by the end of others while attempts are being stopped.
  void DisarmRoles();

  // The job ends, and not because of a failure.
  bool ends_without_failure() const { return order_ && order_->cause == Cause::kFixed; }
  bool finished() const { return finished_; }

 private:
  // How long a role may go on after all tasks of others have ended.
  struct Outliving {
    std::vector<int> roles;  // those others; empty: there is no limit
    Timer timer;
  };
  struct FirstFailure {
    Task* task = nullptr;
    int later = 0;  // failures after it
    int all = 0;
  };

  void Hurry(const Order& order);
  void Finish();
  void Stop(Task& task, const Order& order);
  void JudgeOutcome();
  void WatchOutliving();
  void FailOrRestart(Order order);
  bool ExplainsEnd(const Task& task, const Task& other) const;
  FirstFailure FirstFailureOf(Cause cause);
  // The advice is set only if a failure ends the job: advice about a job that works remains.
  std::string ReasonOf(const Order& order, std::optional<std::string>* advice);
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
