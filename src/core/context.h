// The data that all units of a job share: the job file, the framework's rules, the time of the step, and its actions.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/core/action.h"
#include "howdah/core/job.h"
#include "howdah/core/policy/gang.h"
#include "howdah/core/policy/random.h"
#include "howdah/jobspec/job_spec.h"
#include "timers.h"

namespace howdah::core {

// The tasks that a restart covers.
enum class Scope { kRanked, kAll };
// Whether the scope includes a task. ranked: whether its role is ranked.
inline bool Covers(Scope scope, bool ranked) { return scope == Scope::kAll || ranked; }

// Timers that are due at the same time fire in this order.
enum class JobTimer {
  kGang,
  kHold,
  kHoldNotice,
  kRequestAgain,
  kBackoff,
  kRun,
  kSettle,
  kMembership,
  kRejoin,
  kUnfinishedRoles,
  kUnreadyRoles,
  kTokens,
  kCount
};

// The timers of the job as a whole, and the queue of all timers. The timer of a task, container or role is a field of
// the class that uses it.
class Timers {
 public:
  void Arm(JobTimer timer, Instant due) { Arm(Of(timer), {TimerKey::Owner::kJob, static_cast<int32_t>(timer)}, due); }
  void Disarm(JobTimer timer) { Of(timer).Disarm(); }
  bool IsArmed(JobTimer timer) const { return jobs_[static_cast<size_t>(timer)].due() != kNever; }
  void Delay(JobTimer timer, Duration by) { Of(timer).Delay(by); }
  bool IsDue(JobTimer timer, const TimerQueue::Entry& entry) { return IsDue(Of(timer), entry); }

  void Arm(Timer& timer, const TimerKey& key, Instant due) { queue_.Arm(timer, key, due); }
  bool IsDue(Timer& timer, const TimerQueue::Entry& entry) { return queue_.IsDue(timer, entry); }
  std::optional<TimerQueue::Entry> Pop(Instant now) { return queue_.Pop(now); }
  std::optional<Instant> Next() const { return queue_.Next(); }

 private:
  Timer& Of(JobTimer timer) { return jobs_[static_cast<size_t>(timer)]; }

  TimerQueue queue_;
  std::array<Timer, static_cast<size_t>(JobTimer::kCount)> jobs_;
};

struct Context {
  const jobspec::JobSpec spec;
  const FrameworkRules rules;
  const Instant submitted;
  const bool together;  // no task starts before all tasks are registered
  policy::Random random;
  Instant now;                            // never goes back
  Instant event_time;                     // the time that was passed to this Step, which may be earlier than `now`
  Instant orders_until = Instant::min();  // OrdersDelayed::until
  Timers timers = {};
  std::vector<Action> actions = {};
  bool changed = true;  // see StepResult

  // The time at which the orders of this step are performed. The limits of orders count from it.
  Instant performed() const { return std::max(now, orders_until); }
  template <typename A>
  void Emit(A&& action) {
    actions.emplace_back(std::forward<A>(action));
  }
  // Limits a time that a peer reported to a plausible range, because the peer's clock may be wrong by any amount.
  Instant Plausible(Instant at) const {
    constexpr Duration kClockSlack = std::chrono::hours(1);
    return std::clamp(at, submitted - kClockSlack, now + kClockSlack);
  }
};

}  // namespace howdah::core
