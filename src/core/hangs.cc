// Attempts without a sign of life, and where the others of the job stood when they were stopped for it: who stands
// elsewhere than all the others is often the one that they wait for.
#include <algorithm>

#include "howdah/core/progress.h"
#include "job_impl.h"

namespace howdah::core {

void Job::Impl::On(const TaskHung& e) {
  Task* task = OpenAttempt(e.container, e.attempt);
  if (task == nullptr || task->run != Task::Run::kRunning || task->ranks_left == 0) return;
  if (task->stop_at) return NoteStands(*task, e.stack);
  if (task->counted.waiting > 0) return;  // for others
  task->stands = OneLine(e.stack);
  Failure failure = FailureOf(*task, Failure::How::kNoProgress, Sane(e.at));
  failure.what = StalledText(failure.at - Sane(e.since), e.activity, task->progress, task->stands);
  TaskChanged change = Note(*task, TaskChanged::Type::kHung);
  change.reason = FailureText(NameOf(*task), failure);
  change.progress = task->progress;
  Write(std::move(change));
  NoteFailure(*task, std::move(failure));
}

void Job::Impl::On(const StackSampled& e) {
  if (Task* task = OpenAttempt(e.container, e.attempt)) NoteStands(*task, e.stack);
}

void Job::Impl::NoteStands(Task& task, std::string_view where) {
  if (where.empty() || !task.stop_at || !task.stands.empty()) return;
  task.stands = OneLine(where);
  TaskChanged change = Note(task, TaskChanged::Type::kStackSampled);
  change.reason = StandsText({NameOf(task)}, task.stands);
  Write(std::move(change));
}

// What is stopped because others hang is looked at first (what hangs itself has been); who wants the end does not wait.
bool Job::Impl::IsWorthALook(const Task& task) const {
  if (task.stop_at || task.run != Task::Run::kRunning || task.failure) return false;
  if (ending_ && ending_->cause == Ending::Cause::kFixed) return false;
  return std::any_of(roles_.begin(), roles_.end(), [](const Role& role) { return role.tally.hanging > 0; });
}

std::string Job::Impl::HowFailed(const Task& task) {
  const std::string text = FailureText(NameOf(task), *task.failure);
  if (task.failure->how != Failure::How::kNoProgress) return text;
  std::vector<Standing> others;
  ForEachTask([&](const Task& other) {
    if (&other == &task || other.stands.empty()) return;
    const auto same =
        std::find_if(others.begin(), others.end(), [&](const Standing& s) { return s.where == other.stands; });
    if (same == others.end()) {
      others.push_back({{NameOf(other)}, other.stands});
    } else {
      same->tasks.push_back(NameOf(other));
    }
  });
  return WithStanding(text, task.stands, std::move(others));
}

}  // namespace howdah::core
