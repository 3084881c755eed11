#include "task.h"

#include <algorithm>

#include "container.h"
#include "howdah/core/results.h"

namespace howdah::core {

void TaskPart::Changed() { task_.Recount(); }

void Attempt::Begin(int generation, int processes) {
  run_ = Run::kStarting;
  used_ = true;
  generation_ = generation;
  ranks_ = {};
  ranks_.exited.assign(static_cast<size_t>(processes), false);
  ranks_.left = processes;
  started_.reset();
  exit_.reset();
  failure_.reset();
  stop_.reset();
  Changed();
}

bool Attempt::CountExit(int local_rank, Instant at) {
  const auto rank = static_cast<size_t>(local_rank);
  if (local_rank < 0 || rank >= ranks_.exited.size()) return false;
  if (ranks_.exited[rank]) return false;
  ranks_.exited[rank] = true;
  --ranks_.left;
  ranks_.last_exit = std::max(ranks_.last_exit, at);
  Changed();
  return true;
}

void Attempt::StopOrder::Tighten(Instant now, Instant new_due, Instant new_limit) {
  newest = now;
  due = std::min(due, new_due);
  limit = std::min(limit, new_limit);
}

void Attempt::StopOrder::Extend(Instant now) { due = std::max(due, std::min(now + grace, limit)); }

void Attempt::DelayStop(Duration by) {
  stop_->due += by;
  stop_->limit += by;
  timer_.Delay(by);
}

void ResultSizes::Set(int local_rank, size_t processes, int size) {
  bytes.resize(processes, kNoResult);
  bytes[static_cast<size_t>(local_rank)] = size;
}

int64_t ResultSizes::Total() const {
  int64_t total = 0;
  for (const int size : bytes) total += std::max(0, size);
  return total;
}

bool Placement::connected() const {
  return container_ != nullptr && container_->phase() == Container::Phase::kConnected;
}

void Placement::Attach(Container& container) {
  container_ = &container;
  node_ = container.node();
  Changed();
}

Task::Task(TaskId task_id, Ledger& task_ledger, const Sums& sums, bool member)
    : id(task_id),
      ranked(sums.ranked != nullptr),
      ledger(task_ledger),
      seat(*this, member, task_id.index),
      attempt(*this, task_ledger.next_attempt),
      placement(*this),
      rendezvous(*this),
      sums_(sums) {
  Recount();
}

Failure Task::NewFailure(Cause::Kind kind, Instant at) const {
  const auto& started = attempt.started();
  Failure failure;
  failure.kind = kind;
  failure.at = at;
  failure.node = placement.node();
  failure.attempt = attempt.number();
  if (attempt.is_open() && started) failure.ran = std::max(Duration::zero(), at - *started);
  return failure;
}

bool Task::whole() const {
  const Attempt::Ranks& ranks = attempt.ranks();
  return attempt.is_open() && ranks.left == static_cast<int>(ranks.exited.size()) && !attempt.failure() &&
         !attempt.stop() && placement.connected();
}

void Task::Recount() {
  const Tally counts = Count();
  *sums_.last_changed = this;
  if (counts == counted_) return;
  for (Tally* sum : {sums_.role, sums_.all, sums_.ranked}) {
    if (sum != nullptr) sum->Replace(counted_, counts);
  }
  counted_ = counts;
}

void Task::Charge(Instant now) {
  ++ledger.charged;
  if (sums_.restart->window) ledger.charged_at.push_back(now);
  Recount();
}

void Task::ForgetOldCharges(Instant now) {
  if (!sums_.restart->window) return;
  const auto covered = std::find_if(ledger.charged_at.begin(), ledger.charged_at.end(),
                                    [&](Instant at) { return now - at < *sums_.restart->window; });
  ledger.charged_at.erase(ledger.charged_at.begin(), covered);
  ledger.charged = static_cast<int>(ledger.charged_at.size());
  Recount();
}

Tally Task::Count() const {
  using Step = RendezvousState::Step;
  Tally t;
  const bool is_whole = whole();
  t.open = attempt.is_open();
  if (is_whole) {
    t.rendezvous.joined = rendezvous.step() == Step::kJoined;
    t.rendezvous.rejoining = rendezvous.step() == Step::kRejoining;
  }
  if (seat.leaving()) return t;
  if (!seat.member()) {
    t.optional.pending = !done_ && placement.container() == nullptr;
    t.optional.starting = !done_ && placement.container() != nullptr && !placement.connected();
    t.optional.joinable = !done_ && placement.connected();
    return t;
  }
  t.tasks = 1;
  t.pending = !done_ && state_ == TaskState::kPending && placement.container() == nullptr;
  t.unregistered = !done_ && !placement.connected();
  t.started = started_ || done_;
  t.serving = serving() || done_;
  t.done = done_;
  t.succeeded = done_ && state_ == TaskState::kSucceeded;
  t.failed = done_ && (state_ == TaskState::kFailed || state_ == TaskState::kLost);
  t.hung = attempt.failure() && attempt.failure()->kind == Cause::Kind::kHung;
  t.budget = std::max(0, sums_.restart->max - ledger.charged);
  t.rendezvous.ready = done_ || (is_whole && rendezvous.step() != Step::kNone);
  return t;
}

void Task::TakeUsage() {
  const Container* container = placement.container();
  if (container != nullptr && container->usage()) progress.usage = container->usage();
}

}  // namespace howdah::core
