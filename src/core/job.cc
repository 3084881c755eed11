#include "howdah/core/job.h"

#include <algorithm>
#include <utility>

#include "job_impl.h"
#include "require.h"

namespace howdah::core {
namespace {

// How far a peer's clock is believed.
constexpr Duration kClockSlack = std::chrono::hours(1);

std::vector<int> OutlivedBy(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role) {
  std::vector<int> outlived;
  if (!role.outlive) return outlived;
  for (size_t r = 0; r < spec.roles.size(); ++r) {
    const auto& names = role.outlive->roles;
    if (std::find(names.begin(), names.end(), spec.roles[r].name) != names.end())
      outlived.push_back(static_cast<int>(r));
  }
  return outlived;
}

}  // namespace

Job::Job(jobspec::JobSpec spec, FrameworkRules rules, Instant submitted, uint64_t seed)
    : impl_(std::make_unique<Impl>(std::move(spec), std::move(rules), submitted, seed)) {}
Job::~Job() = default;
StepResult Job::Step(const Event& event, Instant now) { return impl_->Step(event, now); }
std::optional<Instant> Job::NextDeadline() const { return impl_->NextDeadline(); }
const PeerGroup& Job::peers() const { return impl_->peers(); }
const Exports& Job::exports() const { return impl_->exports(); }
const jobspec::JobSpec& Job::spec() const { return impl_->spec(); }
bool Job::finished() const { return impl_->finished(); }
void Job::CheckInvariants() const { impl_->CheckInvariants(); }

Job::Impl::Impl(jobspec::JobSpec spec, FrameworkRules rules, Instant submitted, uint64_t seed)
    : spec_(std::move(spec)),
      rules_(std::move(rules)),
      submitted_(submitted),
      together_(StartsTogether(spec_.start, rules_.needs_whole_cluster)),
      random_(seed),
      now_(submitted),
      roles_(spec_.roles.size()),
      endpoints_(spec_.roles.size()),
      exports_(spec_.roles.size()) {
  const std::vector<std::vector<int>> ends = EndsAwaited(spec_);
  for (size_t r = 0; r < roles_.size(); ++r) {
    Role& role = roles_[r];
    role.ranked = r < rules_.restarts_together.size() && rules_.restarts_together[r];
    role.directs = r < rules_.coordinators.size() && rules_.coordinators[r];
    role.kind = spec_.roles[r].kind;
    role.after = AwaitedBy(spec_, spec_.roles[r]);
    role.ends = ends[r];
    role.outlives = OutlivedBy(spec_, spec_.roles[r]);
    while (role.size < spec_.roles[r].instances.max) {
      AddTask(static_cast<int>(r), /*member=*/role.size < spec_.roles[r].instances.min);
    }
  }
}

StepResult Job::Impl::Step(const Event& event, Instant now) {
  told_at_ = now;
  now_ = std::max(now_, now);
  if (finished_) return {};
  touched_ = nullptr;
  world_.reset();
  unmoved_ = std::holds_alternative<HeartbeatReceived>(event) || std::holds_alternative<Ticked>(event);
  std::visit([this](const auto& e) { On(e); }, event);
  const bool only_heard = std::holds_alternative<HeartbeatReceived>(event) ||
                          std::holds_alternative<ExecutorDisconnected>(event) ||
                          std::holds_alternative<TaskProgressed>(event);
  if (!only_heard) Settle();
  CheckStep();
  Require(!unmoved_ || actions_.empty(), "something follows from an event that changes nothing");
  return {std::exchange(actions_, {}), !unmoved_};
}

std::optional<Instant> Job::Impl::NextDeadline() const {
  if (finished_) return std::nullopt;
  return timers_.Next();
}

void Job::Impl::On(const AmStarted& e) {
  if (state_ != JobState::kQueued || ending_) return;
  state_ = JobState::kStarting;
  generation_ = e.generation;
  first_attempt_ = e.first_task_attempt;
  JobChanged started{.type = JobChanged::Type::kAmStarted, .state = state_, .am_attempt = e.attempt};
  if (generation_ > 0) started.generation = generation_;
  Write(std::move(started));
  ForEachTask([this](Task& task) {
    PastOf(task).next_attempt = task.attempt = first_attempt_;
    if (task.member) NotePlaced(task);
  });
  hold_limit_ = HoldLimit(spec_.timeouts.hold, random_);
  gang_since_ = submitted_;
  if (together_) Arm(JobTimer::kGang, submitted_ + spec_.timeouts.gang);
  judge_ = true;  // a job may have no task to wait for
}

void Job::Impl::On(const AmResumed& e) {
  if (state_ == JobState::kQueued) return;
  NoteResumed(e);
  for (Container& container : slots_) {
    if (Find(container.id) == &container) OrderAgain(container);
  }
  AvoidNodes();
  AskAgain();
  if (!rules_.needs_am || ending_ || ranked_.open == 0) return;
  if (AllHaveMet()) return ForgetMeeting();
  if (drain_) {
    drain_->stay = false;
    return StopScope(drain_->scope);
  }
  const std::string why = "the application master died, and with it what the ranked tasks need";
  BeginDrain({.scope = Scope::kRanked, .why = why, .stay = false});
  NoteRecovering(drain_->why + "; all ranked tasks are stopped to start again");
}

void Job::Impl::On(const RequestsDelayed& e) {
  constexpr size_t kLongestSentence = 700;  // of a place, with its figures
  // What the job can do without is no reason that it waits.
  place_wait_ = all_.lacking > 0 ? OneLine(e.reason, kLongestSentence) : "";
  NoteWaiting();
}

void Job::Impl::On(const RequestsRefused& e) {
  if (ending_) return;
  BeginEnding({.state = JobState::kFailed, .exit_code = 3, .reason = e.reason, .grace = spec_.checkpoint.grace});
}

// It may be told late, after what came after it.
void Job::Impl::On(const HeartbeatReceived& e) {
  if (Container* container = Find(e.container)) container->last_heard = std::max(container->last_heard, told_at_);
}

void Job::Impl::On(const ExecutorDisconnected& e) {
  Container* container = Find(e.container);
  if (container != nullptr && !container->disconnected) container->disconnected = now_;
}

void Job::Impl::On(const ScaleRequested& e) { Scale(e.role, e.instances, e.by); }

void Job::Impl::On(const StopRequested& e) {
  const Duration grace =
      std::clamp(e.grace.value_or(spec_.checkpoint.grace), Duration::zero(), Duration(std::chrono::days(365)));
  if (ending_) {
    Hurry(grace, e.grace.has_value());
    return;
  }
  const auto ran = running_since_ ? std::optional(now_ - *running_since_) : std::nullopt;
  Ending ending{.state = JobState::kKilled,
                .exit_code = 4,
                .reason = KilledText(e.by, ran, now_ - submitted_),
                .grace = grace,
                .exactly = e.grace.has_value()};
  Write(JobChanged{.type = JobChanged::Type::kStopRequested, .reason = ending.reason});
  BeginEnding(std::move(ending));
}

void Job::Impl::On(const Ticked&) {
  while (const auto entry = timers_.Pop(now_)) {
    const TimerKey& key = entry->key;
    if (key.owner == TimerKey::Owner::kJob) {
      const auto timer = static_cast<JobTimer>(key.first);
      if (Due(TimerOf(timer), *entry)) FireJobTimer(timer);
    } else if (key.owner == TimerKey::Owner::kContainer) {
      Container& container = slots_[static_cast<size_t>(key.first)];
      if (timers_.IsDue(container.timer, *entry)) FireContainer(container, entry->at);
    } else if (key.owner == TimerKey::Owner::kRole) {
      if (Due(roles_[static_cast<size_t>(key.first)].outlive_timer, *entry)) FireRole(key.first);
    } else {
      std::deque<Task>& tasks = roles_[static_cast<size_t>(key.first)].tasks;
      if (static_cast<size_t>(key.second) >= tasks.size()) continue;
      Task& task = tasks[static_cast<size_t>(key.second)];
      if (key.owner == TimerKey::Owner::kTask) {
        if (Due(task.timer, *entry)) FireTask(task);
      } else if (Due(task.missing, *entry)) {
        FireMissing(task);
      }
    }
  }
}

bool Job::Impl::Due(Timer& timer, const TimerQueue::Entry& entry) {
  const bool due = timers_.IsDue(timer, entry);
  if (due) unmoved_ = false;
  return due;
}

void Job::Impl::FireJobTimer(JobTimer timer) {
  if (ending_) return;
  switch (timer) {
    case JobTimer::kGang:
      return FireGang();
    case JobTimer::kHold:
      if (gave_back_) return;
      return filling() || FillAgain() ? GiveBack() : GiveUpWaiting();
    case JobTimer::kHoldNotice: {
      const Tally gang = Filling();
      if (gave_back_ || gang.lacking == 0 || gang.lacking == gang.tasks) return;
      if (now_ >= last_grant_ + hold_limit_) return;  // too late to announce it
      own_wait_ =
          HoldingText(gang.tasks - gang.lacking, gang.tasks, now_ - last_grant_, last_grant_ + hold_limit_ - now_);
      NoteWaiting();
      return;
    }
    case JobTimer::kAskAgain:
      gave_back_ = false;
      own_wait_.clear();
      NoteWaiting();
      return;
    case JobTimer::kNews:
      return;  // TellNews looks at the time
    case JobTimer::kSettle:
      settled_ = true;
      return;
    case JobTimer::kMeet:
      return StopStragglers();
    case JobTimer::kBackoff:
      if (barrier_) barrier_->backoff = false;
      return;
    case JobTimer::kRun: {
      const std::string reason =
          TimeLimitText(*spec_.timeouts.run, now_ - *running_since_, NewestCheckpoint(), spec_.checkpoint.dir);
      BeginEnding({.state = JobState::kKilled, .exit_code = 4, .reason = reason, .grace = spec_.checkpoint.grace});
      return;
    }
    case JobTimer::kCount:
      return;
  }
}

// What follows from the facts, once all of an event are known.
void Job::Impl::Settle() {
  for (;;) {
    if (ending_) {
      if (by_id_.empty()) Finish();
      return;
    }
    if (state_ == JobState::kQueued) return;
    ApplyWaitingScales();
    if (judge_) {
      judge_ = false;
      JudgeOutcome();
      WatchOutliving();
    } else if (drain_ && TallyOf(drain_->scope).open == TallyOf(drain_->scope).waiting) {
      FinishDrain();
    } else {
      break;
    }
  }
  OpenRoles();
  DismissNewcomers();
  AskForLacking();
  Fill();
  TakeInUnranked();
  TellNews();
  LiftBarrier();
  Grow();
  StartReady();
  RejoinWaiting();
}

// Roles ask for containers, and their gang begins to come together, once what they wait for has ended; when that starts
// again they give back what they could do nothing with.
void Job::Impl::OpenRoles() {
  for (Role& role : roles_) {
    const bool holds = EndsHold(role);
    if (role.open && !holds) CloseRole(role);
    if (role.open || !holds) continue;
    role.open = true;
    if (role.tally.started > 0 || role.tally.open > 0) continue;  // of an earlier time
    role.gathers = together_;
    role.fills = spec_.start == jobspec::StartMode::kGang && role.tally.lacking > 0;
  }
}

bool Job::Impl::Gathers(const Role& role) const {
  const bool again = barrier_ && barrier_->everyone && (barrier_->scope == Scope::kAll || role.ranked);
  return role.open && (role.gathers || again);
}

void Job::Impl::LiftBarrier() {
  const bool complete = Sum([this](const Role& role) { return Gathers(role); }).unregistered == 0;
  if (complete) {
    TimerOf(JobTimer::kGang).due = kNever;
    if (barrier_) TimerOf(JobTimer::kHold).due = kNever;
    if (!barrier_ || (!barrier_->backoff && !drain_)) {
      if (!Gathered()) return;
      TakeInRanked();
      barrier_.reset();
    }
    for (Role& role : roles_) role.gathers = false;
  } else if (TimerOf(JobTimer::kGang).due == kNever) {
    // A later generation that is short of a container must not hold the others for ever either. It keeps them for as
    // long as it can: what is given back has to be set up again.
    gang_since_ = now_;
    Arm(JobTimer::kGang, now_ + spec_.timeouts.gang);
    if (filling()) return;
    last_grant_ = now_;
    Arm(JobTimer::kHold, now_ + std::max(hold_limit_, HoldLimit(spec_.timeouts.gang / 2, random_)));
  }
}

void Job::Impl::StartReady() {
  for (Role& role : roles_) {
    if (role.ready.empty() || !RoleMayStart(role) || (role.directs && !MayDirect())) continue;
    for (const int index : std::exchange(role.ready, {})) {
      if (static_cast<size_t>(index) >= role.tasks.size()) continue;
      Task& task = role.tasks[static_cast<size_t>(index)];
      const bool waits = task.state == TaskState::kReady && task.connected() && task.run == Task::Run::kNone;
      if (waits && task.member && !task.done && !task.leaving && !task.backing_off) Start(task);
    }
  }
}

bool Job::Impl::RoleMayStart(const Role& role) const {
  if (drain_ && (drain_->scope == Scope::kAll || role.ranked)) return false;
  if (role.gathers || (barrier_ && (barrier_->scope == Scope::kAll || role.ranked))) return false;
  return AfterHolds(role);
}

bool Job::Impl::AfterHolds(const Role& role) const {
  return std::all_of(role.after.begin(), role.after.end(), [this](const Awaits& awaits) {
    const Tally& tally = roles_[static_cast<size_t>(awaits.role)].tally;
    return Holds({{tally.tasks, tally.started, tally.done}, awaits.finished});
  });
}

bool Job::Impl::EndsHold(const Role& role) const {
  return std::all_of(role.ends.begin(), role.ends.end(), [this](int end) {
    const Tally& tally = roles_[static_cast<size_t>(end)].tally;
    return tally.done == tally.tasks;
  });
}

void Job::Impl::Arm(JobTimer timer, Instant due) {
  timers_.Arm(TimerOf(timer), {TimerKey::Owner::kJob, static_cast<int32_t>(timer), 0}, due);
}
void Job::Impl::Arm(Task& task, Instant due) {
  timers_.Arm(task.timer, {TimerKey::Owner::kTask, task.id.role, task.id.index}, due);
}
void Job::Impl::Arm(Container& container, Instant due) {
  timers_.Arm(container.timer, {TimerKey::Owner::kContainer, container.slot, 0}, due);
}

Instant Job::Impl::Sane(Instant at) const { return std::clamp(at, submitted_ - kClockSlack, now_ + kClockSlack); }

std::string Job::Impl::NameOf(const Task& task) const { return task.id.Text(SpecOf(task).name); }

void Job::Impl::Recount(Task& task) {
  Role& role = RoleOf(task);
  const Tally counts = CountsOf(task, SpecOf(task).restart.max);
  touched_ = &task;
  if (counts == task.counted) return;
  for (Tally* tally : {&role.tally, &all_, task.ranked ? &ranked_ : nullptr}) {
    if (tally == nullptr) continue;
    tally->Add(task.counted, -1);
    tally->Add(counts, 1);
  }
  task.counted = counts;
}

}  // namespace howdah::core
