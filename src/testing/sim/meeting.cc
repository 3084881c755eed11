#include "meeting.h"

#include <string>
#include <utility>

namespace howdah::testing::sim {

using core::RendezvousReported;
using std::chrono::milliseconds;
using std::chrono::seconds;

void SimMeeting::Start(const core::StartTask& order, SimContainer& container, int size) {
  if (Find(order.task, order.attempt) != nullptr) return;  // a repeated order
  members_[order.task] = {order.attempt, order.generation, State::kStarts, &container};
  sizes_[order.generation] = size;
}

void SimMeeting::Rejoin(const core::Rejoin& order, int size) {
  Member* member = Find(order.task, order.attempt);
  if (member == nullptr || !member->container->Meets(order.attempt)) return;
  if (member->state != State::kRejoining) {
    world_.Violate("Only who waits is told its place in a world",
                   "role " + std::to_string(order.task.role) + ", task " + std::to_string(order.task.index));
  }
  member->state = State::kReady;
  member->generation = order.generation;
  member->container->Rejoin(order.generation);
  truth_.Rejoined(order.task, order.attempt, order.generation);
  sizes_[order.generation] = size;
  Connect(order.generation);
}

// The member is either reported as unreachable, or leaves with all others at the end of a step.
void SimMeeting::Ask(const core::RequestRendezvous& order) {
  Member* member = Find(order.task, order.attempt);
  if (member == nullptr || member->state != State::kJoined) return;
  if (world_.random.Chance(0.1)) {
    world_.Reach(Situation::kUnreachable);
    world_.schedule.After(seconds(3), [this, order] {
      Member* deaf = Find(order.task, order.attempt);
      if (deaf != nullptr) Tell(order.task, *deaf, RendezvousReported::Step::kUnreachable);
    });
    return;
  }
  world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(5))),
                        [this, generation = member->generation] { LeaveLater(generation, /*together=*/true); });
}

void SimMeeting::Arrive(TaskId task, int attempt) {
  Member* member = Find(task, attempt);
  if (member == nullptr || member->state != State::kStarts) return;
  member->state = State::kReady;
  const int generation = member->generation;
  Tell(task, *member, RendezvousReported::Step::kReady);
  Connect(generation);
}

void SimMeeting::Break(TaskId task, int attempt) {
  const Member* member = Find(task, attempt);
  if (member == nullptr) return;
  const bool joined = member->state == State::kJoined;
  const int generation = member->generation;
  members_.erase(task);
  if (joined) LeaveLater(generation, /*together=*/false);
}

SimMeeting::Member* SimMeeting::Find(TaskId task, int attempt) {
  const auto at = members_.find(task);
  return at == members_.end() || at->second.attempt != attempt ? nullptr : &at->second;
}

void SimMeeting::Tell(TaskId task, const Member& member, RendezvousReported::Step step) {
  if (member.container->Meets(member.attempt)) deliver_(RendezvousReported{task, member.attempt, step});
}

// Once all members of a generation are ready, they connect soon, unless one of them dies first.
void SimMeeting::Connect(int generation) {
  const auto all_here = [this, generation] {
    int here = 0;
    for (const auto& [task, member] : members_) {
      here += member.generation == generation && member.state == State::kReady;
    }
    return here == sizes_[generation];
  };
  if (!all_here()) return;
  world_.schedule.After(world_.random.Between(Duration(1), Duration(milliseconds(300))), [this, generation, all_here] {
    if (!all_here()) return;
    std::vector<TaskId> joined;
    for (auto& [task, member] : members_) {
      if (member.generation != generation) continue;
      member.state = State::kJoined;
      joined.push_back(task);
    }
    for (const TaskId task : joined) {
      const auto at = members_.find(task);
      if (at != members_.end()) Tell(task, at->second, RendezvousReported::Step::kJoined);
    }
  });
}

// together: all members leave at once. Otherwise each notices the loss of another one at its next step or after a
// longer time-out.
void SimMeeting::LeaveLater(int generation, bool together) {
  for (const auto& [task, member] : members_) {
    if (member.generation != generation || member.state != State::kJoined) continue;
    Duration delay = world_.random.Between(Duration(1), together ? Duration(milliseconds(50)) : Duration(seconds(2)));
    if (!together && world_.random.Chance(0.1)) delay = world_.random.Between(seconds(20), seconds(80));
    world_.schedule.After(delay, [this, task = task, attempt = member.attempt, generation] {
      Member* leaving = Find(task, attempt);
      if (leaving == nullptr || leaving->state != State::kJoined || leaving->generation != generation) return;
      if (!leaving->container->Meets(attempt)) return;
      leaving->state = State::kRejoining;
      truth_.Waits(task, attempt);
      leaving->container->Wait();
      Tell(task, *leaving, RendezvousReported::Step::kRejoining);
    });
  }
}

}  // namespace howdah::testing::sim
