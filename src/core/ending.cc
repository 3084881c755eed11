#include "ending.h"

#include <algorithm>
#include <utility>

#include "howdah/base/text.h"
#include "howdah/core/overuse.h"
#include "howdah/core/policy/outcome.h"
#include "howdah/core/ranks.h"
#include "reason.h"
#include "require.h"
#include "units.h"

namespace howdah::core {
namespace {

// If a full disk fails the job, a checkpoint that was written within this time before the end may be incomplete.
constexpr Duration kCutOffLimit = std::chrono::minutes(1);

// Returns advice on the checkpoint from which the next job can continue. reason: why this job has ended.
std::string CheckpointAdvice(const FinishPrepared::Checkpoint& newest, const std::string& reason,
                             const Context& context) {
  const std::string& directory = context.spec.checkpoint.dir;
  if (newest.written < context.submitted) {
    return "this job has written no checkpoint to " + directory + "; the newest one there, " + newest.name +
           ", is older than the job";
  }
  const Duration age = context.now - newest.written;
  const std::string before_the_end = FormatDuration(age) + " before the end";
  if (SaysNoSpace(reason) && age < kCutOffLimit) {
    return newest.name + " in " + directory + " was written " + before_the_end +
           ", so it may be cut off: continue from the one before it";
  }
  return "the newest checkpoint is " + newest.name + " in " + directory + ", written " + before_the_end;
}

}  // namespace

Ending::Ending(Units& units)
    : context_(units.context),
      roster_(units.roster),
      recorder_(units.recorder),
      phase_(units.phase),
      units_(units),
      outliving_(units.context.spec.roles.size()) {
  const auto& roles = context_.spec.roles;
  for (size_t r = 0; r < roles.size(); ++r) {
    if (!roles[r].outlive) continue;
    const auto& names = roles[r].outlive->roles;
    for (size_t other = 0; other < roles.size(); ++other) {
      if (std::find(names.begin(), names.end(), roles[other].name) != names.end())
        outliving_[r].roles.push_back(static_cast<int>(other));
    }
  }
}

void Ending::On(const StopRequested& e) {
  Order order{.state = JobState::kKilled, .exit_code = 4, .grace = e.grace};
  if (order.grace) order.grace = std::clamp(*order.grace, Duration::zero(), Duration(std::chrono::days(365)));
  if (phase_.ending()) return Hurry(order);
  const auto& since = units_.recovery.running_since();
  const auto ran = since ? std::optional(context_.now - *since) : std::nullopt;
  order.reason = {KilledText(e.by, ran, context_.now - context_.submitted), Cause{Cause::Kind::kStopRequest}};
  recorder_.Write(
      JobChanged{.type = JobChanged::Type::kStopRequested, .reason = order.reason.text, .cause = order.reason.cause});
  Begin(std::move(order));
}

void Ending::FireRunLimit() {
  const Duration ran = context_.now - *units_.recovery.running_since();
  Begin({.state = JobState::kKilled,
         .exit_code = 4,
         .reason = {TimeLimitText(*context_.spec.timeouts.run, ran, units_.monitor.NewestCheckpoint(),
                                  context_.spec.checkpoint.dir, units_.unfinished_roles.Text()),
                    Cause{Cause::Kind::kRunTimeout}}});
}

void Ending::Begin(Order order) {
  phase_.End();
  order_ = std::move(order);
  std::optional<std::string> advice;
  Reason reason = ReasonOf(*order_, &advice);
  recorder_.Write(JobChanged{.type = JobChanged::Type::kStopping,
                             .reason = std::move(reason.text),
                             .advice = std::move(advice),
                             .cause = std::move(reason.cause)});
  if (units_.allocation.requests.any()) units_.allocation.requests.CancelAll();
  roster_.ForEach([this](Task& task) {
    if (!task.attempt.is_open()) {
      if (!task.seat.removed()) EndTask(task);
    } else {
      Stop(task, *order_);
    }
  });
}

void Ending::Stop(Task& task, const Order& order) {
  if (task.attempt.ranks().left == 0) return;
  const Duration grace = order.grace.value_or(context_.spec.checkpoint.grace);
  units_.attempts.Stop(task, grace, /*exactly=*/order.grace.has_value());
}

void Ending::EndTask(Task& task) {
  units_.attempts.CancelBackOff(task);
  if (!IsFinal(task.state())) {
    task.Become(TaskState::kStopped);
    if (task.known()) recorder_.Stopped(task);
  }
  task.SetDone(true);
  units_.allocation.containers.ReleaseFrom(task);
}

// Shortens the grace of a job that is already ending.
void Ending::Hurry(const Order& order) {
  roster_.ForEach([&](Task& task) {
    if (task.attempt.is_open()) Stop(task, order);
  });
}

bool Ending::Judge() {
  if (!std::exchange(judge_, false)) return false;
  JudgeOutcome();
  WatchOutliving();
  units_.unfinished_roles.Watch();
  units_.unready_roles.Watch();
  return true;
}

void Ending::JudgeOutcome() {
  std::vector<policy::RoleResult> results;
  for (const Role& role : roster_.roles()) {
    const Tally& tally = role.tally();
    results.push_back({.kind = role.kind(),
                       .on_failure = role.spec().on_failure,
                       .chief = role.spec().chief,
                       .tasks = tally.tasks,
                       .done = tally.done,
                       .succeeded = tally.succeeded,
                       .failed = tally.failed});
  }
  const int first = FirstRankedRole(context_.spec);
  if (context_.rules.first_rank_decides && first >= 0) {
    const auto role = static_cast<size_t>(first);
    const auto& tasks = roster_.roles()[role].tasks();
    const auto rank = std::find_if(tasks.begin(), tasks.end(), [](const Task& t) { return t.seat.stays(); });
    results[role].decided = rank->state() == TaskState::kSucceeded;
  }
  switch (policy::Judge(results)) {
    case policy::JobOutcome::kUndecided:
      return;
    case policy::JobOutcome::kSucceeded:
      return Begin({.state = JobState::kSucceeded, .exit_code = 0});
    case policy::JobOutcome::kAllToleratedFailed:
      return FailOrRestart({.origin = Origin::kTolerated});
  }
}

// Arms or disarms the `outlive` limit of each role that has one.
void Ending::WatchOutliving() {
  if (phase_.ending() || phase_.draining()) return;
  for (const Role& role : roster_.roles()) {
    Outliving& limit = outliving_[role.number()];
    if (limit.roles.empty() || role.kind() == jobspec::RoleKind::kSidecar || role.kind() != role.spec().kind) continue;
    const bool alone = std::all_of(limit.roles.begin(), limit.roles.end(), [this](int other) {
      return roster_.roles()[static_cast<size_t>(other)].all_done();
    });
    if (!alone || role.all_done()) {
      limit.timer.Disarm();
    } else if (limit.timer.due() == kNever) {
      context_.timers.Arm(limit.timer, {TimerKey::Owner::kRole, static_cast<int32_t>(role.number()), 0},
                          context_.now + role.spec().outlive->by);
    }
  }
}

void Ending::DisarmRoles() {
  for (Outliving& limit : outliving_) limit.timer.Disarm();
  units_.unfinished_roles.Forget();
  units_.unready_roles.Forget();
}

bool Ending::FireRole(const TimerQueue::Entry& entry) {
  const auto number = static_cast<size_t>(entry.key.first);
  if (!context_.timers.IsDue(outliving_[number].timer, entry)) return false;
  if (phase_.ending() || phase_.draining()) return true;
  Role& role = roster_.roles()[number];
  const auto then = role.spec().outlive->then;
  if (then != jobspec::Outlive::Then::kFail) {
    roster_.ChangeKind(
        role, then == jobspec::Outlive::Then::kIgnore ? jobspec::RoleKind::kSidecar : jobspec::RoleKind::kService);
    Revisit();
    return true;
  }
  FailOrRestart(
      {.reason = {OutlivedText(role.spec(), role.tally().tasks - role.tally().done), Cause{Cause::Kind::kOutlived}}});
  return true;
}

// Call it when the job fails for a reason other than a single task's failure. Restarts the job if it has restarts left,
// and otherwise ends it.
void Ending::FailOrRestart(Order order) {
  if (units_.recovery.JobBudget() <= 0) return Begin(std::move(order));
  if (phase_.draining() && phase_.drain().scope == Scope::kAll) return;
  std::optional<std::string> advice;
  const Reason why = ReasonOf(order, &advice);
  units_.recovery.BeginDrain({.scope = Scope::kAll, .why = why}, why);
}

// Whether the failure of `task` explains the end of the job better than the failure of `other`. If exactly one of the
// two failures restarts only its own task, the other failure explains the end, unless one of them is a known
// consequence.
bool Ending::ExplainsEnd(const Task& task, const Task& other) const {
  const auto restarts = [this](const Task& t) {
    const Failure& failure = *t.attempt.failure();
    return !t.ranked && !failure.final() && (units_.recovery.BudgetOf(t) > 0 || failure.not_charged);
  };
  const Failure &a = *task.attempt.failure(), &b = *other.attempt.failure();
  const bool known = a.diagnosis.consequence || b.diagnosis.consequence;
  if (!known && restarts(task) != restarts(other)) return restarts(other);
  return CameFirst(a, b);
}

// Whether the later failure of `task` follows from the failure of `first`. This is true if the executor of `task` has
// reported its failure as a consequence. It is also true if both tasks are ranked and failed in different ways, because
// ranked tasks wait for each other. Ranked tasks that failed in the same way have probably failed independently, for
// example because of the same wrong option.
bool Ending::FollowsFrom(const Task& task, const Task& first) {
  const Failure &a = *task.attempt.failure(), &b = *first.attempt.failure();
  return a.diagnosis.consequence || (task.ranked && first.ranked && !SameFailure(a, b));
}

Ending::FirstFailure Ending::FirstFailureOf(Origin origin) {
  FirstFailure first;
  std::vector<const Task*> failed;
  roster_.ForEach([&](Task& task) {
    const bool tolerated = origin == Origin::kTolerated &&
                           roster_.SpecOf(task).on_failure == jobspec::OnFailure::kTolerate &&
                           roster_.RoleOf(task).kind() != jobspec::RoleKind::kSidecar;
    if (!task.attempt.failure() || task.seat.leaving() || (!units_.recovery.FailsJob(task) && !tolerated)) return;
    failed.push_back(&task);
    if (first.task == nullptr || ExplainsEnd(task, *first.task)) first.task = &task;
  });
  first.all = static_cast<int>(failed.size());
  for (const Task* task : failed) {
    if (task == first.task || CameFirst(*task->attempt.failure(), *first.task->attempt.failure())) continue;
    FollowsFrom(*task, *first.task) ? ++first.because : ++first.too;
  }
  return first;
}

Reason Ending::ReasonOf(const Order& order, std::optional<std::string>* advice) {
  if (order.origin == Origin::kGiven) return order.reason;
  const FirstFailure first = FirstFailureOf(order.origin);
  Require(first.task != nullptr, "a job fails because of a task, and no task has failed");
  *advice = first.task->attempt.failure()->diagnosis.advice;
  Reason reason = units_.monitor.HowFailed(*first.task);
  if (order.origin == Origin::kFailure) {
    reason.text = WithOthers(std::move(reason.text), first.because, first.too);
  } else {
    reason.text.insert(0, "all " + std::to_string(first.all) + " tolerated tasks have failed; the first failure: ");
  }
  return reason;
}

JobChanged Ending::FinalEntry() {
  std::optional<std::string> advice;
  Reason reason = ReasonOf(*order_, &advice);
  for (const std::string& container : units_.allocation.placements.unreleased()) {
    reason.text += (reason.text.empty() ? "" : "; ") + ("container " + container) + " did not exit when it was killed";
  }
  if (!advice && !recorder_.advice().empty()) advice = recorder_.advice();  // earlier advice remains valid
  return JobChanged{.type = JobChanged::Type::kFinished,
                    .state = order_->state,
                    .reason = std::move(reason.text),
                    .advice = std::move(advice),
                    .cause = std::move(reason.cause),
                    .exit_code = order_->exit_code};
}

void Ending::Prepare() {
  if (finished_ || std::exchange(preparing_, true)) return;
  context_.Emit(PrepareFinish{FinalEntry()});
}

void Ending::Resume() {
  preparing_ = false;
  if (finished_) Finish();
}

void Ending::On(const FinishPrepared& e) {
  if (!std::exchange(preparing_, false) || !units_.allocation.containers.empty()) return;
  JobChanged final = FinalEntry();
  std::string advice = final.advice.value_or("");
  const auto add = [&advice](const std::string& more) {
    if (!more.empty()) advice += (advice.empty() ? "" : "; ") + more;
  };
  if (e.checkpoint && order_->state != JobState::kSucceeded)
    add(CheckpointAdvice(*e.checkpoint, final.reason.value_or(""), context_));
  add(MemoryAdvice());
  add(OneLine(e.problem, kLongestClause));
  if (!advice.empty()) final.advice = advice;
  finished_ = true;
  recorder_.Write(std::move(final));
  Finish();
}

void Ending::Finish() { context_.Emit(FinishJob{order_->state, order_->exit_code}); }

// Returns advice to request more memory when the job is submitted again. If memory was the cause of a failed job, the
// job's reason already contains this advice.
std::string Ending::MemoryAdvice() const {
  if (order_->state == JobState::kFailed) return "";
  std::vector<RolePeak> peaks(context_.spec.roles.size());
  roster_.ForEach([&](const Task& task) {
    if (!task.known() || !task.progress.usage) return;
    RolePeak& peak = peaks[static_cast<size_t>(task.id.role)];
    if (task.progress.usage->memory_peak_bytes > peak.memory_bytes)
      peak = {task.progress.usage->memory_peak_bytes, task.id.index};
  });
  std::string advice;
  for (size_t r = 0; r < peaks.size(); ++r) {
    const std::string text = OveruseText(context_.spec, context_.spec.roles[r], peaks[r]);
    if (!text.empty()) advice += (advice.empty() ? "" : "; ") + text;
  }
  return advice;
}

}  // namespace howdah::core
