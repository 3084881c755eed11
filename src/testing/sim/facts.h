// The events and actions of one core. The simulator collects them independently of the core's own state.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/action.h"
#include "howdah/core/event.h"
#include "howdah/testing/sim/workload.h"

namespace howdah::testing::sim {

struct ContainerFacts {
  int role = 0;
  std::optional<TaskId> task;  // set once an executor was launched for the task
  bool registered = false;
  bool released = false;  // released or killed, but not gone yet
  bool given_up = false;  // the core has recorded its end, although the container may still run
  // The attempt in the container is orphaned: the executor has reported a newer attempt than this AM has ordered.
  bool orphaned = false;
  Instant last_message;  // the last message from the executor
  Instant registered_at;
  bool killed = false;
  std::optional<Instant> storing_since;  // when the core received ExecutorStoring
};

// The newest attempt of a task, and totals over its older ones.
struct TaskFacts {
  int attempt = -1;
  int generation = 0;
  ContainerId container;
  bool started = false;  // the core has received TaskStarted
  bool serves = false;   // the core has received TaskServes
  bool over = true;      // the core has received the end of the attempt or of its container
  Instant over_at;
  std::optional<Instant> stopped_at;  // when the core ordered a stop of the attempt or the release of its container
  std::optional<Instant> killed_at;   // when the executor is due to send SIGKILL
  Instant killed_by;                  // the latest value that killed_at may take
  Duration grace{};                   // the grace of the first stop order
  Instant started_at;                 // when the core received TaskStarted
  bool failed = false;                // failed without a prior stop order
  bool final = false;                 // failed, and a rule of its role excludes a restart
  bool free = false;                  // failed, and its restart is not charged
  bool waits = false;                 // the core has received the report that the task waits to rejoin
  bool hung = false;                  // the core has received TaskHung
  bool succeeded = false;             // every process of the attempt exited with 0
  std::set<int> ranks_exited, ranks_succeeded;
  bool ever_started = false;
  bool ever_over = false;  // some attempt has ended, without losing its container
  int charged = 0;         // restarts charged to this task
  int node_faults = 0;     // number of failures with a node fault

  bool stopped() const { return stopped_at.has_value(); }
};

template <typename T, typename... Others>
concept IsOneOf = (std::is_same_v<T, Others> || ...);

class Facts {
 public:
  explicit Facts(const Workload& workload) : workload_(workload), asked_(workload.spec.roles.size(), 0) {}

  void Received(const core::Event& event, Instant now);
  void Ordered(const core::Action& action);
  // Charges a restart to this task.
  void Charge(TaskId task) { ++tasks_[task].charged; }
  // Returns the newest attempt in a container if its number is `attempt` and it is not over. Returns nullptr for any
  // other attempt, because the message is then stale.
  TaskFacts* Current(const ContainerId& container, int attempt);

  const ContainerFacts* Held(const ContainerId& container) const;
  const std::map<ContainerId, ContainerFacts>& held() const { return held_; }
  // Whether the same order was given before. Orders are repeated if they may have been lost.
  bool IsRepeated(const core::StartTask& start) const;
  const TaskFacts* Find(TaskId task) const;
  // Whether the core has received the exit of every process of the newest attempt.
  bool AllExited(TaskId task) const;
  const std::map<TaskId, TaskFacts>& tasks() const { return tasks_; }
  int asked(int role) const { return asked_[static_cast<size_t>(role)]; }
  bool stop_requested() const { return stop_requested_; }
  // The grace of the newest stop request that stated one.
  std::optional<Duration> grace_requested() const { return grace_requested_; }
  // The time from which no process of the job may run, because of a stop request.
  Instant stop_limit() const { return stop_limit_; }
  bool refused() const { return refused_; }
  bool anything_started() const { return anything_started_; }

 private:
  void Over(TaskId id, TaskFacts& task);
  void EndAttemptIn(const ContainerId& container, const ContainerFacts& held);
  void Fail(TaskId id, TaskFacts& task, const core::Diagnosis& diagnosis);
  void NoteMessage(const ContainerId& container);
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
  void On(const core::TaskServes& e);
  void On(const core::TaskSaving& e);
  void On(const core::TaskHung& e);
  void On(const core::StopRequested& e);
  void On(const core::AmResumed&);
  void On(const core::ExecutorStoring& e);
  // Messages that show only that the executor is alive.
  template <typename Message>
  requires IsOneOf<Message, core::TaskProgressed, core::StackSampled, core::HeartbeatReceived>
  void On(const Message& e) { NoteMessage(e.container); }
  void On(const core::RendezvousReported& e);
  // Events that change no fact.
  template <typename Other>
  requires IsOneOf<Other, core::Ticked, core::OrdersDelayed, core::TensorBoardReported, core::FinishPrepared,
                   core::AmContainerReported, core::TokensIssued, core::AmStarted, core::ReclaimAnnounced,
                   core::RequestsDelayed, core::ContainerStarting, core::ExecutorRefused, core::ExecutorDisconnected,
                   core::ScaleRequested>
  void On(const Other&) {}

  void On(const core::RequestContainers& a);
  void On(const core::CancelRequests&);
  void On(const core::LaunchExecutor& a);
  void On(const core::ReleaseContainer& a) { Release(a.container); }
  void On(const core::KillContainer& a);
  void On(const core::StartTask& a);
  void On(const core::StopTask& a);
  void On(const core::RequestRendezvous&) {}
  void On(const core::Rejoin& a) { tasks_[a.task].waits = false; }
  void On(const core::AvoidNode&) {}
  void On(const core::Record& a);
  void On(const core::PrepareFinish&) {}
  void On(const core::FinishJob&) {}
  void Release(const ContainerId& container);

  const Workload& workload_;
  std::map<ContainerId, ContainerFacts> held_;  // containers granted and not reported gone
  std::map<TaskId, TaskFacts> tasks_;           // tasks that were ordered to start
  std::vector<int> asked_;                      // number of containers requested and not granted, by role
  Instant now_;
  bool stop_requested_ = false;
  std::optional<Duration> grace_requested_;
  Instant stop_limit_ = Instant::max();
  bool refused_ = false;
  bool anything_started_ = false;
};

}  // namespace howdah::testing::sim
