#include "rendezvous.h"

#include <string>
#include <utility>

namespace howdah::testing::sim {

using core::RendezvousReported;
using std::chrono::milliseconds;
using std::chrono::seconds;

void SimRendezvous::Start(const core::StartTask& order, SimContainer& container, int size) {
  if (Find(order.task, order.attempt) != nullptr) return;  // the order is repeated
  members_[order.task] = {order.attempt, order.generation, State::kStarts, &container};
  sizes_[order.generation] = size;
}

void SimRendezvous::Rejoin(const core::Rejoin& order, int size) {
  Member* member = Find(order.task, order.attempt);
  if (member == nullptr || !member->container->CanJoin(order.attempt)) return;
  if (member->state != State::kRejoining) {
    world_.Violate("Only a task that waits gets a slot in the next generation",
                   "role " + std::to_string(order.task.role) + ", task " + std::to_string(order.task.index));
  }
  member->state = State::kReady;
  member->generation = order.generation;
  member->container->Rejoin(order.generation);
  truth_.Rejoined(order.task, order.attempt, order.generation);
  sizes_[order.generation] = size;
  Connect(order.generation);
}

// Either reports the member as unreachable, or makes all members leave their generation together.
void SimRendezvous::Ask(const core::RequestRendezvous& order) {
  Member* member = Find(order.task, order.attempt);
  if (member == nullptr || member->state != State::kJoined) return;
  if (world_.random.Chance(0.1)) {
    world_.Reach(Situation::kUnreachable);
    world_.schedule.After(seconds(3), [this, order] {
      Member* asked = Find(order.task, order.attempt);
      if (asked != nullptr) Report(order.task, *asked, RendezvousReported::Step::kUnreachable);
    });
    return;
  }
  world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(5))),
                        [this, generation = member->generation] { LeaveLater(generation, /*together=*/true); });
}

void SimRendezvous::OnReady(TaskId task, int attempt) {
  Member* member = Find(task, attempt);
  if (member == nullptr || member->state != State::kStarts) return;
  member->state = State::kReady;
  const int generation = member->generation;
  Report(task, *member, RendezvousReported::Step::kReady);
  Connect(generation);
}

void SimRendezvous::Break(TaskId task, int attempt) {
  const Member* member = Find(task, attempt);
  if (member == nullptr) return;
  const bool joined = member->state == State::kJoined;
  const int generation = member->generation;
  members_.erase(task);
  if (joined) LeaveLater(generation, /*together=*/false);
}

SimRendezvous::Member* SimRendezvous::Find(TaskId task, int attempt) {
  const auto at = members_.find(task);
  return at == members_.end() || at->second.attempt != attempt ? nullptr : &at->second;
}

void SimRendezvous::Report(TaskId task, const Member& member, RendezvousReported::Step step) {
  if (member.container->CanJoin(member.attempt)) deliver_(RendezvousReported{task, member.attempt, step});
}

// When all members of a generation are ready, connects them after a short delay, unless one of them ends first.
void SimRendezvous::Connect(int generation) {
  const auto all_ready = [this, generation] {
    int here = 0;
    for (const auto& [task, member] : members_) {
      here += member.generation == generation && member.state == State::kReady;
    }
    return here == sizes_[generation];
  };
  if (!all_ready()) return;
  world_.schedule.After(world_.random.Between(Duration(1), Duration(milliseconds(300))), [this, generation, all_ready] {
    if (!all_ready()) return;
    std::vector<TaskId> joined;
    for (auto& [task, member] : members_) {
      if (member.generation != generation) continue;
      member.state = State::kJoined;
      joined.push_back(task);
    }
    for (const TaskId task : joined) {
      const auto at = members_.find(task);
      if (at != members_.end()) Report(task, at->second, RendezvousReported::Step::kJoined);
    }
  });
}

// together: all members leave at about the same time. Otherwise each member detects the loss of another member at its
// next step, or after a longer time-out.
void SimRendezvous::LeaveLater(int generation, bool together) {
  for (const auto& [task, member] : members_) {
    if (member.generation != generation || member.state != State::kJoined) continue;
    Duration delay = world_.random.Between(Duration(1), together ? Duration(milliseconds(50)) : Duration(seconds(2)));
    if (!together && world_.random.Chance(0.1)) delay = world_.random.Between(seconds(20), seconds(80));
    world_.schedule.After(delay, [this, task = task, attempt = member.attempt, generation] {
      Member* leaving = Find(task, attempt);
      if (leaving == nullptr || leaving->state != State::kJoined || leaving->generation != generation) return;
      if (!leaving->container->CanJoin(attempt)) return;
      leaving->state = State::kRejoining;
      truth_.Waits(task, attempt);
      leaving->container->Wait();
      Report(task, *leaving, RendezvousReported::Step::kRejoining);
    });
  }
}

}  // namespace howdah::testing::sim
