#include "monitor.h"

#include <algorithm>
#include <utility>

#include "howdah/base/text.h"
#include "reason.h"
#include "units.h"

namespace howdah::core {

using Run = Attempt::Run;

Monitor::Monitor(Units& units)
    : context_(units.context), roster_(units.roster), recorder_(units.recorder), units_(units) {}

void Monitor::On(const TaskProgressed& e) {
  Task* task = units_.attempts.Find(e.container, e.attempt);
  if (task == nullptr || task->attempt.run() != Run::kRunning) return;
  TaskProgress progress = e.progress;
  progress.at = context_.Plausible(progress.at);
  if (progress.checkpoint_at) progress.checkpoint_at = context_.Plausible(*progress.checkpoint_at);
  if (task->progress.latest == progress) return;
  task->progress.latest = progress;
  recorder_.Progressed(*task);
  if (task->ranked && progress.step && task->progress.pace.Take(*progress.step, progress.at)) FindStraggler(*task);
}

std::optional<ReportedCheckpoint> Monitor::NewestCheckpoint() {
  std::optional<ReportedCheckpoint> newest;
  roster_.ForEach([&](const Task& task) {
    const auto& latest = task.progress.latest;
    if (!latest || !latest->checkpoint || !latest->checkpoint_at) return;
    const Duration ago = std::max(Duration::zero(), context_.now - *latest->checkpoint_at);
    if (!newest || ago < newest->ago) newest = ReportedCheckpoint{roster_.NameOf(task), *latest->checkpoint, ago};
  });
  return newest;
}

// Reports a rank that is slower than the other ranks. If every step is a collective operation, there is no such rank,
// because all ranks are then as slow as the slowest one.
void Monitor::FindStraggler(Task& task) {
  std::vector<double> all;
  roster_.ForEach([&](const Task& other) {
    if (!other.ranked || other.attempt.run() != Run::kRunning) return;
    if (const auto pace = other.progress.pace.steps_per_second()) all.push_back(*pace);
  });
  const auto own = task.progress.pace.steps_per_second();
  const auto times = own ? policy::SlowerBy(*own, std::move(all)) : std::nullopt;
  const bool is_news = task.progress.pace.CountWindow(times.has_value());
  if (!is_news || !units_.phase.running()) return;
  const int rank = roster_.RanksOf(task).front();
  recorder_.Advise(JobChanged::Type::kRunning,
                   SlowText(roster_.NameOf(task), rank, task.placement.node(), *times, *own));
}

void Monitor::On(const TaskHung& e) {
  Task* task = units_.attempts.Find(e.container, e.attempt);
  if (task == nullptr || task->attempt.run() != Run::kRunning || task->attempt.ranks().left == 0) return;
  if (task->attempt.stop()) return NoteStack(*task, e.stack);
  if (task->counts().rendezvous.rejoining > 0) return;  // the task is not hung: it waits for other tasks
  task->SetStack(OneLine(e.stack, kLongestClause));
  Failure failure = task->NewFailure(Cause::Kind::kHung, context_.Plausible(e.at));
  failure.what = HungText(failure.at - context_.Plausible(e.since), e.activity, task->progress.latest, task->stack());
  recorder_.Hung(*task, FailureText(roster_.NameOf(*task), failure));
  units_.attempts.NoteFailure(*task, std::move(failure));
}

void Monitor::On(const TaskServes& e) {
  Task* task = units_.attempts.Find(e.container, e.attempt);
  if (task == nullptr || task->serving()) return;
  task->progress.ready = true;
  task->Recount();
  recorder_.Serves(*task);
  units_.ending.Revisit();
}

void Monitor::On(const StackSampled& e) {
  if (Task* task = units_.attempts.Find(e.container, e.attempt)) NoteStack(*task, e.stack);
}

void Monitor::NoteStack(Task& task, std::string_view stack) {
  if (stack.empty() || !task.attempt.stop() || !task.stack().empty()) return;
  task.SetStack(OneLine(stack, kLongestClause));
  recorder_.StackSampled(task, StackText({roster_.NameOf(task)}, task.stack()));
}

bool Monitor::NeedsProbe(const Task& task) const {
  if (task.attempt.stop() || task.attempt.run() != Run::kRunning || task.attempt.failure()) return false;
  return !units_.ending.ends_without_failure() && roster_.all().hung > 0;
}

Reason Monitor::HowFailed(const Task& task) {
  Reason reason = FailureReason(roster_.SpecOf(task).name, task.id.index, *task.attempt.failure());
  if (task.attempt.failure()->kind != Cause::Kind::kHung) return reason;
  std::vector<TasksAtStack> others;
  roster_.ForEach([&](const Task& other) {
    if (&other == &task || other.stack().empty()) return;
    const auto same =
        std::find_if(others.begin(), others.end(), [&](const TasksAtStack& s) { return s.stack == other.stack(); });
    if (same == others.end()) {
      others.push_back({{roster_.NameOf(other)}, other.stack()});
    } else {
      same->tasks.push_back(roster_.NameOf(other));
    }
  });
  reason.text = WithOtherStacks(std::move(reason.text), task.stack(), std::move(others));
  return reason;
}

}  // namespace howdah::core
