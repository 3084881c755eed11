// The rules about ranked tasks that continue from one generation to the next.
#include <algorithm>

#include "checker.h"
#include "howdah/core/ranks.h"

namespace howdah::testing::sim {

void Checker::TakePlace(int generation, TaskId task, int place, int size) {
  if (generation != places_generation_) places_.clear();
  places_generation_ = generation;
  sizes_[task] = size;
  const auto [at, fresh] = places_.emplace(std::pair(task.role, place), task);
  if ((fresh || at->second == task) && place < size) return;
  world_.Violate("No two tasks of a generation have one rank",
                 Name(task) + " is " + std::to_string(place) + " of " + std::to_string(size));
}

// Every running rank has received the current number of ranks. With another number it would wait for ranks that never
// join, or not wait for all.
void Checker::CheckSizes(const core::PeerGroup& cluster) {
  if (!workload_.rules.needs_whole_cluster || fold_.job_state() != core::JobState::kRunning) return;
  for (const auto& [id, size] : sizes_) {
    const TaskFacts* task = facts_.Find(id);
    if (!task || !task->started || task->over || task->stopped() || task->waits) continue;
    const size_t now = cluster[static_cast<size_t>(id.role)].size();
    if (static_cast<size_t>(size) == now) continue;
    world_.Violate("Every rank that runs knows how many there are",
                   Name(id) + ": " + std::to_string(size) + ", not " + std::to_string(now));
  }
}

int Checker::Waiting(int role) const {
  return static_cast<int>(std::count_if(facts_.tasks().begin(), facts_.tasks().end(), [role](const auto& task) {
    return task.first.role == role && task.second.waits && !task.second.over && !task.second.stopped();
  }));
}

void Checker::Check(const core::Rejoin& rejoin) {
  world_.Reach(Situation::kWentOnInAnotherWorld);
  const TaskFacts* task = facts_.Find(rejoin.task);
  if (!task || task->attempt != rejoin.attempt || task->over || !task->waits) {
    world_.Violate("Only who waits is told its place in a world", Name(rejoin.task));
  }
  if (rejoin.generation != fold_.generation() || fold_.stopping()) {
    world_.Violate("A task goes on in the generation of the job",
                   Name(rejoin.task) + ": " + std::to_string(rejoin.generation));
  }
  rejoins_.push_back(rejoin);
}

// The continuing and the newly started tasks form a generation without gaps, and rank 0, which hands the in-memory
// state to the others, is a continuing one.
void Checker::CheckRejoins(const core::PeerGroup& cluster) {
  if (rejoins_.empty()) return;
  const int first = core::FirstRankedRole(workload_.spec);
  bool state_stays = false;
  for (const core::Rejoin& rejoin : std::exchange(rejoins_, {})) {
    TakePlace(rejoin.generation, rejoin.task, rejoin.slot,
              static_cast<int>(cluster[static_cast<size_t>(rejoin.task.role)].size()));
    state_stays |= rejoin.task.role == first && rejoin.slot == 0;
  }
  if (!state_stays) world_.Violate("Rank 0 goes on where any rank does", "it has just started");
  size_t ranks = 0;
  for (int role = 0; role < static_cast<int>(cluster.size()); ++role) {
    if (Ranked(role)) ranks += cluster[static_cast<size_t>(role)].size();
  }
  if (places_.size() == ranks) return;
  world_.Violate("A world that goes on has no gap", std::to_string(places_.size()) + " of " + std::to_string(ranks));
}

// Do not charge failures in a generation that has already lost a task: its tasks run on for a while, and their failures
// do not cause the next generation. A task of the next generation that would be charged might never start.
void Checker::NoticeGeneration(const core::JobChanged& change) {
  if (!workload_.meets || change.type != core::JobChanged::Type::kRecovering || !change.generation) return;
  using Kind = core::Cause::Kind;
  const bool lost = change.cause && (change.cause->kind == Kind::kLost || change.cause->kind == Kind::kReclaimed);
  if (lost) charged_generation_ = std::max(charged_generation_, *change.generation);
  ChargeRanked(*change.generation);
}

}  // namespace howdah::testing::sim
