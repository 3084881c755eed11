#include "elastic.h"

#include <algorithm>
#include <utility>

#include "job_impl.h"

namespace howdah::core {

bool TakesIn(const Gathering& gathering) {
  if (gathering.ready == 0) return false;
  return gathering.settled || gathering.coming + gathering.awaited == 0;
}

bool AwaitsNewcomers(const Gathering& gathering) { return gathering.coming > 0 && !gathering.settled; }

Duration ReplacementLimit(const jobspec::Instances& instances, const jobspec::Timeouts& timeouts, bool at_once) {
  if (!instances.elastic()) return timeouts.gang;
  return at_once ? Duration::zero() : std::min(timeouts.replacement, timeouts.gang);
}

bool CanSpare(const jobspec::Instances& instances, int members) { return members > instances.min; }

const PeerGroup& Job::Impl::peers() {
  if (world_) return *world_;
  world_.emplace(roles_.size());
  for (size_t r = 0; r < roles_.size(); ++r) {
    (*world_)[r].resize(static_cast<size_t>(WorldSize(r)));
    for (const Task& task : roles_[r].tasks) {
      const auto index = static_cast<size_t>(task.id.index), place = static_cast<size_t>(task.place);
      if (task.member && !task.leaving) (*world_)[r][place] = endpoints_[r][index];
    }
  }
  return *world_;
}

// Ranks have no holes once they start. Tasks that do not belong together keep their places, whichever of them are
// there.
int Job::Impl::WorldSize(size_t number) const {
  const Role& role = roles_[number];
  if (!spec_.roles[number].instances.elastic()) return role.size;
  int size = 0;
  for (const Task& task : role.tasks) {
    if (task.member && !task.leaving) size = std::max(size, task.place + 1);
  }
  return size;
}

// What has succeeded shows that the work is nearly done.
bool Job::Impl::MayGrow(const Role& role) const { return (role.ranked ? ranked_ : role.tally).succeeded == 0; }

void Job::Impl::DismissNewcomers() {
  for (Role& role : roles_) {
    if (role.tally.coming + role.tally.newcomers == 0 || MayGrow(role)) continue;
    for (Task& task : role.tasks) {
      if (task.member || task.leaving || task.container == nullptr) continue;
      ReleaseFrom(task);
      Unplace(task);
    }
  }
}

// Of roles whose tasks do not belong together: nobody is disturbed. In the order of their indices, as each is sent the
// addresses of those before it.
void Job::Impl::TakeInUnranked() {
  for (Role& role : roles_) {
    if (role.ranked || role.tally.newcomers == 0) continue;
    for (Task& task : role.tasks) {
      if (task.counted.coming > 0) break;
      if (task.counted.newcomers == 0) continue;
      Join(task);
      AddNews(task, "has come, on " + task.node);
    }
    GoOnWithoutOverdue(role);
  }
}

void Job::Impl::Join(Task& task) {
  task.member = true;
  Recount(task);
  RoleOf(task).ready.push_back(task.id.index);
}

// It is ranked, and comes together to start.
bool Job::Impl::Forms(const Role& role) const { return role.ranked && (role.gathers || barrier_); }

// Whether the world that could start now is as large as it soon can be.
bool Job::Impl::Gathered() {
  const Tally forming = Sum([this](const Role& role) { return Forms(role); });
  const Gathering gathering{forming.newcomers, forming.coming, forming.spare, settled_};
  if (!AwaitsNewcomers(gathering) || ranked_.waiting > 0) return true;  // who waits takes them in later
  if (TimerOf(JobTimer::kSettle).due == kNever) Arm(JobTimer::kSettle, now_ + spec_.timeouts.settle);
  return false;
}

// Those that could be taken in.
std::vector<Task*> Job::Impl::Newcomers(Role& role) const {
  std::vector<Task*> newcomers;
  if (role.tally.newcomers == 0) return newcomers;
  for (Task& task : role.tasks) {
    if (task.counted.newcomers > 0) {
      newcomers.push_back(&task);
    } else if (rules_.no_gaps && !task.member) {
      break;
    }
  }
  return newcomers;
}

// The ranked tasks that are ready become the world, and get their places in it.
void Job::Impl::TakeInRanked() {
  if (std::none_of(roles_.begin(), roles_.end(), [this](const Role& role) { return Forms(role); })) return;
  TimerOf(JobTimer::kSettle).due = kNever;
  settled_ = false;
  for (Role& role : roles_) {
    if (!Forms(role)) continue;
    for (Task* task : Newcomers(role)) Join(*task);
    GivePlaces(role);
  }
}

// By index; but who goes on from the last world is before who starts, in the order that they had.
void Job::Impl::GivePlaces(Role& role) {
  std::vector<Task*> members;
  for (Task& task : role.tasks) {
    if (task.member && !task.leaving) members.push_back(&task);
  }
  std::stable_sort(members.begin(), members.end(), [](const Task* a, const Task* b) {
    const bool both = a->counted.waiting > 0 && b->counted.waiting > 0;
    return both ? a->place < b->place : a->counted.waiting > b->counted.waiting;
  });
  for (size_t i = 0; i < members.size(); ++i) members[i]->place = static_cast<int>(i);
}

// Newcomers of ranked roles wait until those that run are stopped for them.
void Job::Impl::Grow() {
  if (std::any_of(roles_.begin(), roles_.end(), [this](const Role& role) { return Forms(role); })) return;
  const bool runs = state_ == JobState::kRunning && ranked_.started > 0 && ranked_.open > 0;
  const bool whole = runs && ranked_.unregistered == 0;
  if (drain_ || ranked_.newcomers == 0 || !whole) {
    TimerOf(JobTimer::kSettle).due = kNever;
    settled_ = false;
    return;
  }
  Gathering gathering{0, ranked_.coming, ranked_.spare, settled_};
  std::string why;
  for (size_t r = 0; r < roles_.size(); ++r) {
    const int members = roles_[r].tally.tasks;
    const int ready = roles_[r].ranked ? static_cast<int>(Newcomers(roles_[r]).size()) : 0;
    if (ready == 0) continue;
    gathering.ready += ready;
    why += (why.empty() ? "" : ", ") + spec_.roles[r].name + " grows from " + std::to_string(members) + " to " +
           std::to_string(members + ready);
  }
  if (!TakesIn(gathering)) {
    if (TimerOf(JobTimer::kSettle).due == kNever && !settled_) Arm(JobTimer::kSettle, now_ + spec_.timeouts.settle);
    return;
  }
  if (ranked_.joined > 0 && !deaf_) {
    if (ranked_.joined < ranked_.open) return;  // the rest of the world is about to join it
    if (asked_to_meet_.empty()) AskToLeave();
    asked_to_meet_ = why;
    return;
  }
  BeginDrain({.scope = Scope::kRanked, .why = why});
  NoteRecovering(why + "; " + HowTheyRecover());
}

// A member has no executor (any more) that is connected.
void Job::Impl::AwaitAnother(Task& task) {
  if (task.attempt == first_attempt_ && !task.attempt_used) return;  // it still waits for its first
  const bool at_once = task.taken || ranked_.waiting > 0;            // who waits can take it in later
  const Instant due = now_ + ReplacementLimit(SpecOf(task).instances, spec_.timeouts, at_once);
  if (task.missing.due <= due) return;  // it waits already
  task.missing_since = now_;
  task.overdue = false;
  timers_.Arm(task.missing, {TimerKey::Owner::kMissing, task.id.role, task.id.index}, due);
}

void Job::Impl::FireMissing(Task& task) {
  if (ending_ || task.done || task.leaving || !task.member || task.connected() || Draining(task)) return;
  const TimerKey key{TimerKey::Owner::kMissing, task.id.role, task.id.index};
  if (task.backing_off) return timers_.Arm(task.missing, key, task.timer.due);  // it would not start yet anyway
  if (CanGoOnWithout(task)) return GoOnWithout(task);
  const Patience patience = PatienceFor(spec_.timeouts, task.taken && running_since_);
  const Instant last = patience.limit ? task.missing_since + *patience.limit : kNever;
  task.overdue = true;
  if (last == kNever) return;
  if (now_ < last) return timers_.Arm(task.missing, key, last);
  if (task.container != nullptr || Gathers(RoleOf(task)) || !RoleOf(task).open)
    return;  // these have limits of their own
  Failure failure = FailureOf(task, Failure::How::kNotReady, now_);
  failure.node.clear();
  failure.what = NotReplacedText(patience, place_wait_);
  const std::string reason = FailureText(NameOf(task), failure);
  task.state = TaskState::kLost;
  task.failure = std::move(failure);
  task.exit.reset();
  NoteEnded(task, now_);
  if (!CountsFor(task)) return MarkDone(task);
  BeginEnding({.state = JobState::kFailed, .exit_code = 3, .reason = reason, .grace = spec_.checkpoint.grace});
}

bool Job::Impl::CanGoOnWithout(const Task& task) {
  Role& role = RoleOf(task);
  if (task.ranked && !Forms(role)) return false;  // others that run count on it
  const bool last = std::none_of(role.tasks.begin() + task.id.index + 1, role.tasks.end(),
                                 [](const Task& other) { return other.member && !other.leaving; });
  const int could_run = role.tally.tasks + static_cast<int>(Newcomers(role).size());
  return CanSpare(SpecOf(task).instances, could_run) && (last || !rules_.no_gaps);
}

// Newcomers have made up for what is missing.
void Job::Impl::GoOnWithoutOverdue(Role& role) {
  for (Task& task : role.tasks) {
    const bool missing = task.overdue && task.member && !task.leaving && !task.done && !Draining(task);
    if (missing && CanGoOnWithout(task)) GoOnWithout(task);
  }
}

// The job goes on with the other tasks of its role, and takes it in again when a container comes.
void Job::Impl::GoOnWithout(Task& task) {
  for (Task* newcomer : Newcomers(RoleOf(task))) Join(*newcomer);
  const Duration limit = ranked_.waiting > 0 ? Duration::zero() : spec_.timeouts.replacement;
  const std::string reason = GoesOnWithoutText(task.taken, limit, RoleOf(task).tally.tasks - 1);
  task.overdue = false;
  task.launch_failures = 0;
  if (task.container == nullptr) {
    task.state = TaskState::kStopped;
    NoteStopped(task, reason);
    NoteRemoved(task);
    task.state = TaskState::kPending;
  }
  task.member = false;
  Want(task);
  Recount(task);
  judge_ = true;
}

// One of which nothing has run yet; the job goes on as before.
void Job::Impl::LoseNewcomer(Task& task, const Loss& loss) {
  const std::string reason = FailureText(NameOf(task), FailureOf(task, Failure::How::kNotReady, now_, loss));
  Unplace(task, reason);
  if (!loss.excused && ++task.launch_failures > kReplacements) Leave(task);
}

}  // namespace howdah::core
