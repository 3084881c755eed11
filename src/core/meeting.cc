// Ranked tasks that go on in another world without starting again. Their framework tells how far each is
// (RendezvousReported); when a world breaks, or a larger one can be had, those that can wait for a place in the next
// one while the others are stopped or have ended. The world is formed as ever; who waits is told its place once those
// that start have arrived.
#include <algorithm>

#include "howdah/core/ranks.h"
#include "job_impl.h"

namespace howdah::core {

void Job::Impl::On(const RendezvousReported& e) {
  if (e.task.role < 0 || static_cast<size_t>(e.task.role) >= roles_.size()) return;
  std::deque<Task>& tasks = roles_[static_cast<size_t>(e.task.role)].tasks;
  if (e.task.index < 0 || static_cast<size_t>(e.task.index) >= tasks.size()) return;
  Task& task = tasks[static_cast<size_t>(e.task.index)];
  using Step = RendezvousReported::Step;
  using Meeting = Task::Meeting;
  if (!task.ranked || task.leaving || task.attempt != e.attempt || !task.whole() || ending_) return;
  switch (e.step) {
    case Step::kReady:
      if (task.meeting == Meeting::kNone) task.meeting = Meeting::kReady;
      return Recount(task);
    case Step::kJoined:
      if (task.meeting == Meeting::kJoined) return;
      task.meeting = Meeting::kJoined;
      Recount(task);
      if (task.world != task.generation) NoteRejoined(task);
      return NoteRunning();
    case Step::kRejoining: {
      task.meeting = Meeting::kRejoining;
      Recount(task);
      if (drain_ || barrier_) return;
      const std::string lost = NameOf(task) + " has lost touch with the other ranked tasks";
      BeginDrain({.scope = Scope::kRanked, .why = asked_to_meet_.empty() ? lost : asked_to_meet_});
      return NoteRecovering(drain_->why + "; " + HowTheyRecover());
    }
    case Step::kUnreachable:
      if (drain_ || barrier_ || asked_to_meet_.empty()) return;
      task.meeting = Meeting::kNone;
      Recount(task);
      // If the newcomers are still there it is stopped for them (Grow), and the others notice.
      asked_to_meet_.clear();
      deaf_ = true;
      return;
  }
}

// While the ranked tasks drain it is not stopped: it comes to wait for its place in the next world by itself.
bool Job::Impl::Stays(const Task& task) const {
  const bool can = task.counted.joined + task.counted.waiting > 0;
  return can && !task.leaving && drain_ && drain_->stay && drain_->scope == Scope::kRanked;
}

void Job::Impl::AskToLeave() {
  const int first = FirstRankedRole(spec_);
  for (const Task& task : roles_[static_cast<size_t>(first)].tasks) {
    if (task.member && task.place == 0 && task.counted.joined > 0) {
      actions_.push_back(RequestRendezvous{task.id, task.attempt});
    }
  }
}

// Who has not come to wait by now is stopped after all.
void Job::Impl::StopStragglers() {
  ForEachTask([this](Task& task) {
    if (task.ranked && task.counted.joined > 0) Stop(task, spec_.checkpoint.grace);
  });
}

// What is in the memory of those that go on is handed to the others by rank 0: it must be one of them.
bool Job::Impl::SomeStateStays() const { return roles_[static_cast<size_t>(FirstRankedRole(spec_))].tally.waiting > 0; }

// The ranked tasks run, and none of them is on its way into a world or out of one.
bool Job::Impl::AllHaveMet() const {
  const bool alike = ranked_.joined == 0 || ranked_.joined == ranked_.open;
  return state_ == JobState::kRunning && !drain_ && !barrier_ && asked_to_meet_.empty() && ranked_.waiting == 0 &&
         ranked_.arrived == ranked_.tasks && alike;
}

// Where they would meet again is gone with an AM. They go on, and are stopped and started when their world breaks.
void Job::Impl::ForgetMeeting() {
  ForEachTask([this](Task& task) {
    if (task.meeting != Task::Meeting::kJoined) return;
    task.meeting = Task::Meeting::kReady;
    Recount(task);
  });
}

// The world has begun to start, and some of it wait for the others of it to arrive.
bool Job::Impl::Forming() const { return ranked_.waiting > 0 && !drain_ && !barrier_; }

// Others cannot go on before it has met them.
bool Job::Impl::IsAwaited(const Task& task) const {
  if (!task.ranked || task.leaving) return false;
  return task.counted.waiting > 0 || (Forming() && task.meeting == Task::Meeting::kNone);
}

void Job::Impl::RejoinWaiting() {
  if (!Forming() || ranked_.arrived < ranked_.tasks) return;
  ForEachTask([this](Task& task) {
    if (task.counted.waiting == 0 || task.leaving) return;
    task.meeting = Task::Meeting::kReady;
    task.world = generation_;
    task.has_started = true;
    Recount(task);
    actions_.push_back(Rejoin{task.id, task.attempt, generation_, task.place});
  });
}

// Who waits holds containers that another job may lack while it has what the others of this one lack. They are given
// back as those of any gang, when nothing runs in them any more.
void Job::Impl::GiveUpWaiting() {
  if (ranked_.waiting == 0 || ranked_.lacking == 0 || drain_ || !barrier_) return;
  BeginDrain({.scope = Scope::kRanked, .why = "the ranked tasks lack containers that do not come", .stay = false});
  NoteRecovering(drain_->why + "; " + HowTheyRecover());
}

std::string Job::Impl::HowTheyRecover() const {
  return ranked_.joined + ranked_.waiting > 0 ? "the ranked tasks that can go on meet again"
                                              : "all ranked tasks are stopped to start again";
}

}  // namespace howdah::core
