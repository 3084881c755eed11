// The events and orders of one core: kept by the simulator, independent of the core's own state.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/action.h"
#include "howdah/core/event.h"
#include "howdah/testing/sim/workload.h"

namespace howdah::testing::sim {

struct ContainerFacts {
  int role = 0;
  std::optional<TaskId> task;  // once launched
  bool registered = false;
  bool released = false;  // or killed: it is on its way back
  bool ahead = false;     // it has said that it runs what this AM has not ordered
  Instant heard;          // when the core was told of it last
  Instant registered_at;
};

// The newest attempt of a task, and the results of older ones.
struct TaskFacts {
  int attempt = -1;
  int generation = 0;
  ContainerId container;
  bool started = false;  // the core was told so
  bool over = true;      // nothing of it is left, so the core was told
  Instant over_at;
  std::optional<Instant> stopped_at;  // when the core ordered it to stop, or its container to go
  std::optional<Instant> killed_at;   // when the executor is to end the stop with SIGKILL
  Instant killed_by;                  // the latest that this may become
  Duration grace{};                   // of the stop that was ordered first
  Instant started_at;                 // when the core was told of it
  bool failed = false;                // by itself: before it was ordered to stop
  bool final = false;                 // ... and by a rule of its role it is not to start again
  bool free = false;                  // ... and that costs no restart
  bool waits = false;                 // for its place in the next world, as the core was told
  bool stalled = false;               // the core was told that it shows no sign of life
  bool succeeded = false;             // every process of it exited with 0
  std::set<int> ranks_exited, ranks_succeeded;
  bool ever_started = false;
  bool ever_over = false;  // some attempt has ended by itself
  int paid = 0;            // restarts that its failures led to
  int node_faults = 0;     // failures that were its node's

  bool stopped() const { return stopped_at.has_value(); }
};

class Facts {
 public:
  explicit Facts(const Workload& workload) : workload_(workload), asked_(workload.spec.roles.size(), 0) {}

  void Told(const core::Event& event, Instant now);
  void Ordered(const core::Action& action);
  // The failure of this task is what led to a restart.
  void Pay(TaskId task) { ++tasks_[task].paid; }
  // The newest attempt in a container, if the attempt is that one and not over; null: the message is stale.
  TaskFacts* Current(const ContainerId& container, int attempt);

  const ContainerFacts* Held(const ContainerId& container) const;
  const std::map<ContainerId, ContainerFacts>& held() const { return held_; }
  // Whether the order was given before, and is given again as it may have got lost.
  bool IsRepeated(const core::StartTask& start) const;
  const TaskFacts* Find(TaskId task) const;
  // The core has been told of the end of every process of the newest attempt.
  bool AllExited(TaskId task) const;
  const std::map<TaskId, TaskFacts>& tasks() const { return tasks_; }
  int asked(int role) const { return asked_[static_cast<size_t>(role)]; }
  bool stop_requested() const { return stop_requested_; }
  // What people said of it, last.
  std::optional<Duration> grace_requested() const { return grace_requested_; }
  // When nothing may run any more because of it.
  Instant stop_limit() const { return stop_limit_; }
  bool refused() const { return refused_; }
  bool anything_started() const { return anything_started_; }

 private:
  void Over(TaskId id, TaskFacts& task);
  void Fail(TaskId id, TaskFacts& task, const core::Diagnosis& diagnosis);
  void Hear(const ContainerId& container);
  size_t Ranks(TaskId task) const {
    return static_cast<size_t>(workload_.spec.roles[static_cast<size_t>(task.role)].processes);
  }

  void On(const core::ContainerGranted& e);
  void On(const core::ContainerExited& e);
  void On(const core::RequestsRefused&);
  void On(const core::ExecutorRegistered& e);
  void On(const core::TaskStarted& e);
  void On(const core::RankExited& e);
  void On(const core::TaskStartFailed& e);
  void On(const core::TaskEnded& e);
  void On(const core::TaskProgressed& e) { Hear(e.container); }
  void On(const core::TaskSaving& e);
  void On(const core::TaskHung& e);
  void On(const core::StackSampled& e) { Hear(e.container); }
  void On(const core::StopRequested& e);
  void On(const core::AmStarted&) {}
  void On(const core::AmResumed&);
  void On(const core::ReclaimAnnounced&) {}
  void On(const core::RequestsDelayed&) {}
  void On(const core::ContainerStarting&) {}
  void On(const core::ExecutorRefused&) {}
  void On(const core::HeartbeatReceived& e) { Hear(e.container); }
  void On(const core::ExecutorDisconnected&) {}
  void On(const core::RendezvousReported& e);
  void On(const core::ScaleRequested&) {}
  void On(const core::Ticked&) {}
  void On(const core::TensorBoardReported&) {}
  void On(const core::FinishPrepared&) {}

  void On(const core::RequestContainers& a);
  void On(const core::CancelRequests&);
  void On(const core::LaunchExecutor& a);
  void On(const core::ReleaseContainer& a) { GiveBack(a.container); }
  void On(const core::KillContainer& a) { GiveBack(a.container); }
  void On(const core::StartTask& a);
  void On(const core::StopTask& a);
  void On(const core::RequestRendezvous&) {}
  void On(const core::Rejoin& a) { tasks_[a.task].waits = false; }
  void On(const core::AvoidNode&) {}
  void On(const core::Record&) {}
  void On(const core::PrepareFinish&) {}
  void On(const core::FinishJob&) {}
  void GiveBack(const ContainerId& container);

  const Workload& workload_;
  std::map<ContainerId, ContainerFacts> held_;  // told of, and not told to be gone
  std::map<TaskId, TaskFacts> tasks_;           // that were ordered to start
  std::vector<int> asked_;                      // by role: containers asked for and not granted
  Instant now_;
  bool stop_requested_ = false;
  std::optional<Duration> grace_requested_;
  Instant stop_limit_ = Instant::max();
  bool refused_ = false;
  bool anything_started_ = false;
};

}  // namespace howdah::testing::sim
