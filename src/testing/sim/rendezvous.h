// The rendezvous of ranked processes that continue from one generation to the next: the AM's server and its clients.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "container.h"
#include "howdah/base/ids.h"
#include "howdah/core/action.h"
#include "howdah/core/event.h"
#include "truth.h"
#include "world.h"

namespace howdah::testing::sim {

class SimRendezvous {
 public:
  // deliver: passes an event to the AM immediately.
  SimRendezvous(World& world, Truth& truth, std::function<void(const core::Event&)> deliver)
      : world_(world), truth_(truth), deliver_(std::move(deliver)) {}

  // Orders from the AM. size: the number of ranked tasks in the generation of the order.
  void Start(const core::StartTask& order, SimContainer& container, int size);
  void Rejoin(const core::Rejoin& order, int size);
  void Ask(const core::RequestRendezvous& order);

  // The attempt's processes have reached the rendezvous.
  void OnReady(TaskId task, int attempt);
  // A process of the attempt has ended without success. The connected processes detect this after a random delay.
  void Break(TaskId task, int attempt);
  // The AM was replaced, and the new AM has no connection to any process.
  void Forget() { members_.clear(); }

 private:
  enum class State { kStarts, kReady, kJoined, kRejoining };
  struct Member {
    int attempt = 0;
    int generation = 0;
    State state = State::kStarts;
    SimContainer* container = nullptr;
  };
  Member* Find(TaskId task, int attempt);
  void Report(TaskId task, const Member& member, core::RendezvousReported::Step step);
  void Connect(int generation);
  void LeaveLater(int generation, bool together);

  World& world_;
  Truth& truth_;
  std::function<void(const core::Event&)> deliver_;
  std::map<TaskId, Member> members_;
  std::map<int, int> sizes_;  // number of ranked tasks, by generation
};

}  // namespace howdah::testing::sim
