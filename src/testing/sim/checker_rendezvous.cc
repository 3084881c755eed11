// The rules about ranked tasks that continue from one generation to the next.
#include <algorithm>

#include "checker.h"
#include "howdah/core/ranks.h"

namespace howdah::testing::sim {

void Checker::TakeSlot(int generation, TaskId task, int slot, int size) {
  if (generation != slots_generation_) slots_.clear();
  slots_generation_ = generation;
  sizes_[task] = size;
  const auto [at, fresh] = slots_.emplace(std::pair(task.role, slot), task);
  if ((fresh || at->second == task) && slot < size) return;
  world_.Violate("No two tasks of a generation have the same rank",
                 Name(task) + " is " + std::to_string(slot) + " of " + std::to_string(size));
}

// Every running rank must have received the current number of ranks. With another number, a rank would wait for ranks
// that never join, or would start without some ranks.
void Checker::CheckSizes(const core::PeerGroup& cluster) {
  if (!workload_.rules.needs_whole_cluster || fold_.job_state() != core::JobState::kRunning) return;
  for (const auto& [id, size] : sizes_) {
    const TaskFacts* task = facts_.Find(id);
    if (!task || !task->started || task->over || task->stopped() || task->waits) continue;
    const size_t now = cluster[static_cast<size_t>(id.role)].size();
    if (static_cast<size_t>(size) == now) continue;
    world_.Violate("Every running rank has received the current number of ranks",
                   Name(id) + ": " + std::to_string(size) + ", not " + std::to_string(now));
  }
}

int Checker::Waiting(int role) const {
  return static_cast<int>(std::count_if(facts_.tasks().begin(), facts_.tasks().end(), [role](const auto& task) {
    return task.first.role == role && task.second.waits && !task.second.over && !task.second.stopped();
  }));
}

void Checker::Check(const core::Rejoin& rejoin) {
  world_.Reach(Situation::kRejoined);
  const TaskFacts* task = facts_.Find(rejoin.task);
  if (!task || task->attempt != rejoin.attempt || task->over || !task->waits) {
    world_.Violate("Only a task that waits gets a slot in the next generation", Name(rejoin.task));
  }
  if (rejoin.generation != fold_.generation() || fold_.stopping()) {
    world_.Violate("A task rejoins in the current generation of the job",
                   Name(rejoin.task) + ": " + std::to_string(rejoin.generation));
  }
  rejoins_.push_back(rejoin);
}

// The tasks that continue and the tasks that start form a generation without gaps. Rank 0 must be a task that
// continues, because it sends the state in its memory to the other ranks.
void Checker::CheckRejoins(const core::PeerGroup& cluster) {
  if (rejoins_.empty()) return;
  const int first = core::FirstRankedRole(workload_.spec);
  bool state_stays = false;
  for (const core::Rejoin& rejoin : std::exchange(rejoins_, {})) {
    TakeSlot(rejoin.generation, rejoin.task, rejoin.slot,
             static_cast<int>(cluster[static_cast<size_t>(rejoin.task.role)].size()));
    state_stays |= rejoin.task.role == first && rejoin.slot == 0;
  }
  if (!state_stays) world_.Violate("If any rank continues, rank 0 continues", "rank 0 has just started");
  size_t ranks = 0;
  for (int role = 0; role < static_cast<int>(cluster.size()); ++role) {
    if (Ranked(role)) ranks += cluster[static_cast<size_t>(role)].size();
  }
  if (slots_.size() == ranks) return;
  world_.Violate("A generation with rejoining tasks has no gap",
                 std::to_string(slots_.size()) + " of " + std::to_string(ranks));
}

// Charges for the new generation when the journal records it, because a task that would be charged might not start in
// the new generation. Charges no task if a lost container caused the generation: the remaining tasks then run on for a
// while, and their failures did not cause the generation.
void Checker::NoticeGeneration(const core::JobChanged& change) {
  if (!workload_.rejoins || change.type != core::JobChanged::Type::kRecovering || !change.generation) return;
  using Kind = core::Cause::Kind;
  const bool lost = change.cause && (change.cause->kind == Kind::kLost || change.cause->kind == Kind::kReclaimed);
  if (lost) charged_generation_ = std::max(charged_generation_, *change.generation);
  ChargeRanked(*change.generation);
}

}  // namespace howdah::testing::sim
