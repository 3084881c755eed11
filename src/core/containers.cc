#include "containers.h"

#include <algorithm>
#include <utility>

#include "require.h"

namespace howdah::core {
namespace {

// A released container is killed if it is not gone after this time. The core gives up a killed container that is not
// gone after another period of this length.
constexpr Duration kGoneLimit = std::chrono::seconds(10);
// The first of these limits for a container whose executor stores files.
constexpr Duration kStoreLimit = std::chrono::minutes(10);

}  // namespace

using Stage = Container::Phase;

Container* Containers::Find(const ContainerId& id) {
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : &containers_[static_cast<size_t>(it->second)];
}

Container& Containers::Admit(const ContainerGranted& e) {
  if (free_.empty()) {
    free_.push_back(static_cast<int>(containers_.size()));
    containers_.emplace_back();
  }
  const int index = free_.back();
  free_.pop_back();
  Container& container = containers_[static_cast<size_t>(index)];
  container = Container{};
  container.id_ = e.container;
  container.index_ = index;
  container.node_ = e.node;
  container.recorded_ = e.granted.has_value();
  by_id_.emplace(e.container, index);
  return container;
}

void Containers::Assign(Container& container, Task& task) {
  container.task_ = &task;
  task.placement.Attach(container);
}

void Containers::Launch(Container& container) {
  container.phase_ = Stage::kLaunched;
  container.last_heard_ = context_.now;
  Arm(container, context_.performed() + context_.spec.timeouts.register_);
  context_.Emit(LaunchExecutor{container.id_, container.task_->id});
}

void Containers::Connect(Container& container) {
  container.phase_ = Stage::kConnected;
  container.task_->Recount();
  Arm(container, context_.now + context_.spec.timeouts.heartbeat);
}

void Containers::Detach(Task& task) {
  task.placement.container()->task_ = nullptr;
  task.placement.Detach();
}

void Containers::Release(Container& container) {
  Require(container.task_ == nullptr, "a container is released while a task has it");
  const bool reachable = !container.is(Stage::kLaunched);
  container.phase_ = Stage::kReleased;
  SendRelease(container);
  if (!reachable) Kill(container);
}

void Containers::SendRelease(Container& container) {
  Arm(container, context_.performed() + (container.storing_ ? kStoreLimit : kGoneLimit));
  context_.Emit(ReleaseContainer{container.id_, container.replaced_});
}

void Containers::Storing(Container& container) {
  if (std::exchange(container.storing_, true) || !container.is(Stage::kReleased)) return;
  Arm(container, context_.now + kStoreLimit);
}

void Containers::ReleaseFrom(Task& task) {
  if (task.placement.container() == nullptr) return;
  Container& container = *task.placement.container();
  Detach(task);
  if (!container.is(Stage::kKilled)) Release(container);
}

void Containers::Replace(Task& task) {
  if (task.placement.container() != nullptr) task.placement.container()->replaced_ = true;
  ReleaseFrom(task);
}

void Containers::Kill(Container& container) {
  if (container.is(Stage::kKilled)) return;
  container.phase_ = Stage::kKilled;
  Arm(container, context_.performed() + kGoneLimit);
  context_.Emit(KillContainer{container.id_});
  if (container.task_ != nullptr) container.task_->Recount();
}

void Containers::Forget(Container& container) {
  by_id_.erase(container.id_);
  container.timer_ = {};
  free_.push_back(container.index_);
}

void Containers::Resend(Container& container) {
  switch (container.phase_) {
    case Stage::kHeld:
      return;
    case Stage::kLaunched:
      return Launch(container);
    case Stage::kConnected:
      container.last_heard_ = context_.now;
      container.disconnected_ = context_.now;
      return Arm(container, context_.now + context_.spec.timeouts.heartbeat);
    case Stage::kReleased:
      return SendRelease(container);
    case Stage::kKilled:
      Arm(container, context_.performed() + kGoneLimit);
      return context_.Emit(KillContainer{container.id_});
  }
}

void Containers::DelayLimits(Duration by) {
  for (Container& container : containers_) {
    if (!container.is(Stage::kConnected)) container.timer_.Delay(by);
  }
}

Container* Containers::Heard(const ContainerId& id) {
  Container* container = Find(id);
  if (container == nullptr) return nullptr;
  container->last_heard_ = context_.now;
  container->disconnected_.reset();
  return container;
}

void Containers::HeartbeatAt(Container& container, Instant at) {
  container.last_heard_ = std::max(container.last_heard_, at);
}

void Containers::Disconnected(Container& container) {
  if (!container.disconnected_) container.disconnected_ = context_.now;
}

bool Containers::IsDue(const TimerQueue::Entry& entry) {
  return context_.timers.IsDue(At(entry.key.first).timer_, entry);
}

void Containers::Arm(Container& container, Instant due) {
  context_.timers.Arm(container.timer_, {TimerKey::Owner::kContainer, container.index_, 0}, due);
}

void Containers::CheckAssignments() const {
  for (const auto& [id, index] : by_id_) {
    const Container& container = containers_[static_cast<size_t>(index)];
    Require(container.id_ == id, "a container is registered with the id of another one");
    const bool gone = container.is(Stage::kReleased);
    Require(container.task_ == nullptr ? gone || container.is(Stage::kKilled) : !gone,
            "a container is held for no task, or was released while a task has it");
    Require(container.task_ == nullptr || container.task_->placement.container() == &container,
            "a container's task has another container");
  }
  Require(by_id_.size() + free_.size() == containers_.size(), "a container was not counted");
}

}  // namespace howdah::core
