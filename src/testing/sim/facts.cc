#include "facts.h"

#include <algorithm>
#include <utility>

#include "howdah/core/progress.h"
#include "truth.h"

namespace howdah::testing::sim {

void Facts::Received(const core::Event& event, Instant now) {
  now_ = now;
  std::visit([this](const auto& e) { On(e); }, event);
}

void Facts::Ordered(const core::Action& action) {
  std::visit([this](const auto& a) { On(a); }, action);
}

const ContainerFacts* Facts::Held(const ContainerId& container) const {
  const auto at = held_.find(container);
  return at == held_.end() ? nullptr : &at->second;
}

const TaskFacts* Facts::Find(TaskId task) const {
  const auto at = tasks_.find(task);
  return at == tasks_.end() ? nullptr : &at->second;
}

TaskFacts* Facts::Current(const ContainerId& container, int attempt) {
  const auto held = held_.find(container);
  if (held == held_.end() || !held->second.task) return nullptr;
  const auto at = tasks_.find(*held->second.task);
  if (at == tasks_.end()) return nullptr;
  TaskFacts& task = at->second;
  return task.container == container && task.attempt == attempt && !task.over ? &task : nullptr;
}

bool Facts::AllExited(TaskId task) const {
  const TaskFacts* facts = Find(task);
  return facts && facts->ranks_exited.size() == Ranks(task);
}

void Facts::Over(TaskId id, TaskFacts& task) {
  task.over = true;
  task.succeeded = task.ranks_succeeded.size() == Ranks(id);
  task.over_at = now_;
}

void Facts::Fail(TaskId id, TaskFacts& task, const core::Diagnosis& diagnosis) {
  using Then = jobspec::RestartRule::Then;
  constexpr int kFreeNodeFaults = 5;
  task.failed = true;
  task.node_faults += diagnosis.node_fault;
  const auto then = RuleOf(workload_, id, diagnosis);
  task.final = then == Then::kFail;
  task.free = then ? *then == Then::kRestartFree || *then == Then::kElsewhere
                   : diagnosis.node_fault && task.node_faults <= kFreeNodeFaults;
}

void Facts::NoteMessage(const ContainerId& container) {
  const auto held = held_.find(container);
  if (held != held_.end()) held->second.last_message = now_;
}

// --- events ---

// The core repeats its requests to the backend after a resume.
void Facts::On(const core::AmResumed&) { std::fill(asked_.begin(), asked_.end(), 0); }

void Facts::On(const core::ContainerGranted& e) {
  auto [held, is_new] = held_.emplace(e.container, ContainerFacts{.role = e.role});
  // A grant that arrives twice, or late, is a new container to a core that has already given up the container.
  if (std::exchange(held->second.given_up, false)) {
    held->second = ContainerFacts{.role = e.role};
    is_new = true;
  }
  if (e.role < 0) return;
  int& asked = asked_[static_cast<size_t>(e.role)];
  if (is_new) asked = std::max(0, asked - 1);
}

void Facts::On(const core::ContainerExited& e) {
  const auto held = held_.find(e.container);
  if (held == held_.end()) return;
  EndAttemptIn(e.container, held->second);
  held_.erase(held);
}

// No process runs in the container any more.
void Facts::EndAttemptIn(const ContainerId& container, const ContainerFacts& held) {
  if (!held.task) return;
  const auto at = tasks_.find(*held.task);
  if (at != tasks_.end() && at->second.container == container && !at->second.over) Over(at->first, at->second);
}

void Facts::On(const core::RequestsRefused&) {
  refused_ = true;
  std::fill(asked_.begin(), asked_.end(), 0);
}

void Facts::On(const core::ExecutorRegistered& e) {
  const auto held = held_.find(e.container);
  if (held == held_.end()) return;
  if (!std::exchange(held->second.registered, true)) held->second.registered_at = now_;
  const TaskFacts* task = held->second.task ? Find(*held->second.task) : nullptr;
  held->second.orphaned |= e.attempt > (task != nullptr ? task->attempt : -1);
  NoteMessage(e.container);
}

void Facts::On(const core::TaskStarted& e) {
  NoteMessage(e.container);
  if (TaskFacts* task = Current(e.container, e.attempt)) {
    task->started = task->ever_started = anything_started_ = true;
    task->started_at = now_;
  }
}

void Facts::On(const core::RankExited& e) {
  NoteMessage(e.container);
  TaskFacts* task = Current(e.container, e.attempt);
  if (!task) return;
  if (!task->ranks_exited.insert(e.local_rank).second) return;
  if (e.during_stop && !task->stopped()) return;  // by an order that the core does not know
  const bool by_itself = !e.by_stop_order() && (!task->stopped() || e.at < *task->stopped_at);
  if (!e.exit.success() && by_itself) Fail(*held_[e.container].task, *task, e.diagnosis);
  if (e.exit.success()) task->ranks_succeeded.insert(e.local_rank);
}

void Facts::On(const core::TaskStartFailed& e) {
  NoteMessage(e.container);
  TaskFacts* task = Current(e.container, e.attempt);
  if (!task) return;
  Over(*held_[e.container].task, *task);
  task->ever_over = true;
  if (!task->stopped() || e.at < *task->stopped_at) task->failed = true;
}

void Facts::On(const core::TaskEnded& e) {
  NoteMessage(e.container);
  TaskFacts* task = Current(e.container, e.attempt);
  if (!task) return;
  Over(*held_[e.container].task, *task);
  task->ever_over = true;
}

void Facts::On(const core::TaskServes& e) {
  NoteMessage(e.container);
  if (TaskFacts* task = Current(e.container, e.attempt)) task->serves = true;
}

void Facts::On(const core::TaskSaving& e) {
  NoteMessage(e.container);
  TaskFacts* task = Current(e.container, e.attempt);
  if (!task || !task->killed_at) return;
  task->killed_at = std::max(*task->killed_at, std::min(now_ + task->grace, task->killed_by));
}

void Facts::On(const core::ExecutorStoring& e) {
  NoteMessage(e.container);
  const auto held = held_.find(e.container);
  if (held == held_.end()) return;
  if (!held->second.storing_since) held->second.storing_since = now_;
  EndAttemptIn(e.container, held->second);
}

void Facts::On(const core::TaskHung& e) {
  NoteMessage(e.container);
  TaskFacts* task = Current(e.container, e.attempt);
  if (!task || !task->started || task->stopped() || AllExited(*held_[e.container].task)) return;
  task->failed = task->hung = true;
}

void Facts::On(const core::RendezvousReported& e) {
  const auto at = tasks_.find(e.task);
  if (at == tasks_.end() || at->second.attempt != e.attempt || at->second.over || at->second.stopped()) return;
  if (e.step != core::RendezvousReported::Step::kUnreachable)
    at->second.waits = e.step == core::RendezvousReported::Step::kRejoining;
}

void Facts::On(const core::StopRequested& e) {
  stop_requested_ = true;
  if (e.grace) grace_requested_ = e.grace;
  stop_limit_ = std::min(stop_limit_, now_ + e.grace.value_or(core::LongestGrace(workload_.spec.checkpoint)));
}

// --- actions ---

void Facts::On(const core::Record& a) {
  const auto* change = std::get_if<core::ContainerChanged>(&a.change);
  if (change == nullptr || change->type != core::ContainerChanged::Type::kReleased) return;
  const auto held = held_.find(ContainerId{change->container});
  if (held != held_.end()) held->second.given_up = true;
}

void Facts::On(const core::RequestContainers& a) {
  for (const auto& ask : a.asks) asked_[static_cast<size_t>(ask.role)] += ask.count;
}

void Facts::On(const core::CancelRequests&) { std::fill(asked_.begin(), asked_.end(), 0); }

void Facts::On(const core::LaunchExecutor& a) {
  const auto held = held_.find(a.container);
  if (held != held_.end()) held->second.task = a.task;
}

void Facts::On(const core::StartTask& a) {
  if (IsRepeated(a)) return;
  TaskFacts& task = tasks_[a.task];
  task.attempt = a.attempt;
  task.generation = a.generation;
  task.container = a.container;
  task.started = task.over = task.failed = task.final = task.free = task.hung = task.succeeded = false;
  task.waits = task.serves = false;
  task.stopped_at.reset();
  task.killed_at.reset();
  task.ranks_succeeded.clear();
  task.ranks_exited.clear();
}

void Facts::On(const core::StopTask& a) {
  TaskFacts* task = Current(a.container, a.attempt);
  if (!task) return;
  const auto& limit = workload_.spec.roles[static_cast<size_t>(held_[a.container].task->role)].timeout;
  const bool too_long = limit && task->started && !task->stopped() && now_ - task->started_at >= *limit;
  if (too_long && !AllExited(*held_[a.container].task)) task->failed = true;
  if (!task->stopped()) task->stopped_at = now_;
  if (!task->killed_at) task->grace = a.grace;
  const Instant probed = now_ + (a.probe_first ? core::kProbeLimit : Duration(0));
  task->killed_by = std::min(task->killed_at ? task->killed_by : Instant::max(), probed + a.limit);
  task->killed_at = std::min(task->killed_at.value_or(Instant::max()), probed + a.grace);
}

void Facts::On(const core::KillContainer& a) {
  Release(a.container);
  if (const auto held = held_.find(a.container); held != held_.end()) held->second.killed = true;
}

bool Facts::IsRepeated(const core::StartTask& a) const {
  const TaskFacts* task = Find(a.task);
  return task != nullptr && task->container == a.container && task->attempt == a.attempt &&
         task->generation == a.generation && !task->over;
}

void Facts::Release(const ContainerId& container) {
  const auto held = held_.find(container);
  if (held == held_.end()) return;
  held->second.released = true;
  if (!held->second.task) return;
  const auto at = tasks_.find(*held->second.task);
  if (at == tasks_.end() || at->second.container != container || at->second.over) return;
  if (!at->second.stopped()) at->second.stopped_at = now_;
}

}  // namespace howdah::testing::sim
