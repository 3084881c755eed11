#include "rendezvous.h"

#include <utility>

#include "howdah/core/ranks.h"
#include "units.h"

namespace howdah::core {

using Step = RendezvousState::Step;

Rendezvous::Rendezvous(Units& units)
    : context_(units.context), roster_(units.roster), recorder_(units.recorder), units_(units) {}

void Rendezvous::On(const RendezvousReported& e) {
  Task* task = roster_.Find(e.task);
  if (task == nullptr || !task->ranked || task->seat.leaving() || task->attempt.number() != e.attempt) return;
  if (!task->whole() || units_.phase.ending()) return;
  const bool restarting = units_.phase.restarting();
  switch (e.step) {
    case RendezvousReported::Step::kReady:
      if (task->rendezvous.step() == Step::kNone) task->rendezvous.Set(Step::kReady);
      return;
    case RendezvousReported::Step::kJoined:
      if (task->rendezvous.step() == Step::kJoined) return;
      task->rendezvous.Set(Step::kJoined);
      if (task->rendezvous.generation() != task->attempt.generation()) recorder_.Rejoined(*task);
      return units_.recovery.MarkRunning();
    case RendezvousReported::Step::kRejoining:
      task->rendezvous.Set(Step::kRejoining);
      if (restarting) return;
      return units_.recovery.DrainRanked(
          asked_.value_or(Reason{roster_.NameOf(*task) + " lost its connection to the other ranked tasks",
                                 Cause{Cause::Kind::kDisconnected}}));
    case RendezvousReported::Step::kUnreachable:
      if (restarting || !asked_) return;
      task->rendezvous.Set(Step::kNone);
      // The request to rejoin cannot be delivered. If tasks wait to join, Growth stops this task instead: the other
      // ranks notice that it is gone, and rejoin.
      asked_.reset();
      unreachable_ = true;
      return;
  }
}

bool Rendezvous::Rejoins(const Task& task) const {
  const Phase& phase = units_.phase;
  if (!phase.draining() || !phase.drain().rejoin || phase.drain().scope != Scope::kRanked) return false;
  const Tally::Rendezvous& counts = task.counts().rendezvous;
  return counts.joined + counts.rejoining > 0 && !task.seat.leaving();
}

void Rendezvous::Ask() {
  const auto first = static_cast<size_t>(FirstRankedRole(context_.spec));
  for (const Task& task : roster_.roles()[first].tasks()) {
    if (task.seat.member() && task.seat.slot() == 0 && task.counts().rendezvous.joined > 0) {
      context_.Emit(RequestRendezvous{task.id, task.attempt.number()});
    }
  }
}

void Rendezvous::LeaveTogether() {
  if (roster_.ranked().rendezvous.joined == roster_.ranked().open) Ask();
}

bool Rendezvous::LeaveFor(const Reason& why) {
  const Tally& ranked = roster_.ranked();
  if (ranked.rendezvous.joined == 0 || unreachable_) return false;
  if (ranked.rendezvous.joined < ranked.open) return true;  // the other tasks are about to join
  if (!asked_) Ask();
  asked_ = why;
  return true;
}

// Stops the tasks that still have not left their generation.
void Rendezvous::FireRejoinLimit() {
  roster_.ForEach([this](Task& task) {
    if (task.ranked && task.counts().rendezvous.joined > 0) units_.attempts.Stop(task);
  });
}

bool Rendezvous::SomeStateStays() const {
  const auto first = static_cast<size_t>(FirstRankedRole(context_.spec));
  return roster_.roles()[first].tally().rendezvous.rejoining > 0;
}

// Whether the ranked tasks run and none of them is joining or leaving a generation.
bool Rendezvous::AllJoined() const {
  const Tally& ranked = roster_.ranked();
  const Tally::Rendezvous& counts = ranked.rendezvous;
  const bool alike = counts.joined == 0 || counts.joined == ranked.open;
  return units_.phase.running() && !asked_ && counts.rejoining == 0 && counts.ready == ranked.tasks && alike;
}

bool Rendezvous::SurvivesAm() {
  if (!AllJoined()) return false;
  roster_.ForEach([](Task& task) {
    if (task.rendezvous.step() == Step::kJoined) task.rendezvous.Set(Step::kReady);
  });
  return true;
}

bool Rendezvous::forming() const { return roster_.ranked().rendezvous.rejoining > 0 && !units_.phase.restarting(); }

bool Rendezvous::IsAwaited(const Task& task) const {
  if (!task.ranked || task.seat.leaving()) return false;
  return task.counts().rendezvous.rejoining > 0 || (forming() && task.rendezvous.step() == Step::kNone);
}

void Rendezvous::Rejoin() {
  const Tally& ranked = roster_.ranked();
  if (!forming() || ranked.rendezvous.ready < ranked.tasks) return;
  const int generation = units_.phase.generation();
  roster_.ForEach([&](Task& task) {
    if (task.counts().rendezvous.rejoining == 0 || task.seat.leaving()) return;
    task.rendezvous.Enter(generation, Step::kReady);
    task.SetStarted(true);
    context_.Emit(core::Rejoin{task.id, task.attempt.number(), generation, task.seat.slot()});
  });
}

void Rendezvous::GiveUp() {
  const Tally& ranked = roster_.ranked();
  const Phase& phase = units_.phase;
  if (ranked.rendezvous.rejoining == 0 || ranked.pending == 0 || phase.draining() || !phase.holds()) return;
  units_.recovery.DrainRanked({"the ranked tasks got no replacement containers", Cause{Cause::Kind::kNotReplaced}},
                              /*rejoin=*/false);
}

void Rendezvous::BeginGeneration() {
  asked_.reset();
  unreachable_ = false;
}

std::string Rendezvous::HowTheyRecover() const {
  const Tally::Rendezvous& counts = roster_.ranked().rendezvous;
  return counts.joined + counts.rejoining > 0 ? "the ranked tasks that can continue repeat the rendezvous"
                                              : "all ranked tasks are restarted";
}

}  // namespace howdah::core
