// Tasks that direct the others reach them only where they were when they started (FrameworkRules::coordinators).
#include <algorithm>

#include "job_impl.h"

namespace howdah::core {

// Whether each task that is waited for has an executor.
bool Job::Impl::AllThere() const {
  return std::all_of(roles_.begin(), roles_.end(), [](const Role& role) {
    return !role.open || role.kind == jobspec::RoleKind::kSidecar || role.tally.unregistered == 0;
  });
}

// Without a checkpoint a new start would cost all that was done: who directs goes on with those it knows.
void Job::Impl::AddNews(const Task& of, const std::string& what) {
  const bool directed = std::any_of(roles_.begin(), roles_.end(), [](const Role& role) { return role.directs; });
  if (!directed || spec_.checkpoint.dir.empty() || KindOf(of) == jobspec::RoleKind::kSidecar) return;
  news_ += (news_.empty() ? "" : ", ") + NameOf(of) + " " + what;
}

void Job::Impl::ForgetNews() {
  news_.clear();
  news_due_.reset();
  TimerOf(JobTimer::kNews).due = kNever;
}

// While more is to come, for a while: a new start costs what was done since the last checkpoint.
bool Job::Impl::NewsMayWait() {
  if (!news_due_) Arm(JobTimer::kNews, *(news_due_ = now_ + spec_.timeouts.settle));
  return now_ < *news_due_;
}

// Who directs starts when all are there that are waited for, and soon with those that have a container already.
bool Job::Impl::MayDirect() { return AllThere() && (all_.coming == 0 || !NewsMayWait()); }

// Those that direct the others start again to learn of what has come or moved.
void Job::Impl::TellNews() {
  if (news_.empty() || !AllThere()) return;
  if (all_.coming + all_.spare > 0 && NewsMayWait()) return;
  const Loss loss{news_, /*excused=*/true};
  ForgetNews();
  ForEachTask([&](Task& task) {
    const bool runs = task.run != Task::Run::kNone && task.ranks_left > 0 && !task.failure && !task.stop_at;
    if (!RoleOf(task).directs || !runs || task.leaving || Draining(task) || !SpecOf(task).restart.excuse) return;
    NoteFailure(task, FailureOf(task, Failure::How::kOutdated, now_, loss));
  });
}

}  // namespace howdah::core
