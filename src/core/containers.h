// The containers that the job holds, from their grant until they are gone, and the orders about them.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "container.h"
#include "context.h"
#include "howdah/core/event.h"
#include "task.h"

namespace howdah::core {

class Containers {
 public:
  explicit Containers(Context& context) : context_(context) {}

  bool empty() const { return by_id_.empty(); }
  size_t size() const { return by_id_.size(); }
  Container* Find(const ContainerId& id);
  Container& At(int index) { return containers_[static_cast<size_t>(index)]; }
  template <typename Visit>
  void ForEach(Visit visit) {
    for (Container& container : containers_) {
      if (Find(container.id_) == &container) visit(container);
    }
  }

  Container& Admit(const ContainerGranted& e);
  void Assign(Container& container, Task& task);
  void Launch(Container& container);
  void Connect(Container& container);
  // Separates the task from its container.
  void Detach(Task& task);
  // Releases a container that no task has. Kills it, too, if its executor has not connected, because the order to exit
  // needs a connection.
  void Release(Container& container);
  // Detaches the task's container, if there is one, and releases it unless it was killed.
  void ReleaseFrom(Task& task);
  // The same for a task that goes on in another container.
  void Replace(Task& task);
  void Kill(Container& container);
  // Removes a container that is gone. Later events may still contain its id.
  void Forget(Container& container);
  // Repeats the last order about the container, because the AM that gave the order has died. A connected executor must
  // connect to this AM within the heartbeat limit.
  void Resend(Container& container);
  // Moves the limits of all orders that wait for an answer, because the newest orders about containers are performed
  // late.
  void DelayLimits(Duration by);

  // Records that the container's executor has just sent a message. Returns nullptr if the container is unknown.
  Container* Heard(const ContainerId& id);
  void HeartbeatAt(Container& container, Instant at);
  void Disconnected(Container& container);
  // The executor stores files before it exits, so the container may exist for longer after its release.
  void Storing(Container& container);
  // Arms the limit for the next message about the container.
  void Arm(Container& container, Instant due);
  bool IsDue(const TimerQueue::Entry& entry);

  void CheckAssignments() const;

 private:
  void SendRelease(Container& container);

  Context& context_;
  std::deque<Container> containers_;
  std::vector<int> free_;  // indices of containers that are gone
  std::unordered_map<ContainerId, int> by_id_;
};

}  // namespace howdah::core
