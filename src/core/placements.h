// Assigns containers to tasks, and handles the grant, launch, registration and loss of each container.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "container.h"
#include "context.h"
#include "howdah/base/host_port.h"
#include "howdah/core/event.h"
#include "roster.h"

namespace howdah::core {

struct Units;

class Placements {
 public:
  explicit Placements(Units& units);

  void On(const ContainerGranted& e);
  void On(const ContainerStarting& e);
  void On(const ContainerExited& e);
  void On(const AmContainerReported& e);
  void On(const ReclaimAnnounced& e);
  void On(const ExecutorRegistered& e);
  void On(const ExecutorRefused& e);
  void On(const ExecutorStoring& e);
  // Returns false if it only armed the timer again because a heartbeat had arrived.
  bool FireContainer(const TimerQueue::Entry& entry);

  // Records that the task has no container and waits for one.
  void Unplace(Task& task, const std::optional<std::string>& reason = std::nullopt);
  // Containers that did not exit after they were killed. The final reason of the job names them.
  const std::vector<std::string>& unreleased() const { return unreleased_; }

 private:
  void Assign(Container& container, Task& task);
  void Connect(Container& container, Task& task, const HostPort& endpoint);
  // Forgets a container that no longer exists.
  void Gone(Container& container, const Loss& loss);
  void LoseGone(Container& container, const Loss& loss);
  void CloseLost(Task& task, const Loss& loss, Instant at);
  std::string AlsoOnNode(const Container& container);
  void Lose(Container& container, const Loss& loss, Instant at);
  void LoseOrphaned(Container& container);
  void LoseUnconnected(Container& container, const std::string& why);
  void LoseIdle(Task& task, const Loss& loss, Instant at);
  void LoseMember(Task& task, const Loss& loss, Instant at);

  Context& context_;
  Roster& roster_;
  class Recorder& recorder_;
  class Containers& containers_;
  class Attempts& attempts_;
  Units& units_;
  std::vector<std::string> unreleased_;
};

}  // namespace howdah::core
