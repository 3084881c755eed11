// A simulated container: its executor, the user's processes, and every fault that can affect them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/exit_status.h"
#include "howdah/base/ids.h"
#include "howdah/core/action.h"
#include "howdah/core/event.h"
#include "howdah/testing/sim/channel.h"
#include "howdah/testing/sim/workload.h"
#include "truth.h"
#include "world.h"

namespace howdah::testing::sim {

class SimContainer;

// The loss of a container, as the backend reports it.
struct Loss {
  std::string how = {};  // a clause; empty: the container ended as ordered
  bool infrastructure = false, preempted = false;
};

// The job that a container belongs to.
class ContainerOwner {
 public:
  virtual ~ContainerOwner() = default;
  // Delivers an event to the AM's loop immediately.
  virtual void Deliver(const core::Event& event) = 0;
  virtual void OnGone(SimContainer& container, const Loss& loss) = 0;
  // Processes of a task of this generation have died without success and without a stop order.
  virtual void OnDied(TaskId task, int generation) = 0;
  // OnReady: the attempt's processes have reached the rendezvous. OnBroken: a process of the attempt has ended without
  // success.
  virtual void OnReady(TaskId task, int attempt) = 0;
  virtual void OnBroken(TaskId task, int attempt) = 0;
  virtual int generation() const = 0;  // the job's current generation
  virtual const Workload& workload() const = 0;
  virtual Truth& truth() = 0;
};

class SimContainer {
 public:
  // stores: how long the executor stores files before it exits; 0: it stores none.
  SimContainer(World& world, ContainerOwner& owner, ContainerId id, int node, Duration stores);
  SimContainer(const SimContainer&) = delete;
  SimContainer& operator=(const SimContainer&) = delete;

  const ContainerId& id() const { return id_; }
  int node() const { return node_; }
  bool gone() const { return gone_; }

  // Orders from the AM. Each order takes effect after a random delay.
  void Launch(TaskId task);
  void Start(int attempt, int generation);
  void Stop(const core::StopTask& order);
  void Leave();
  void Kill();

  // Events that happen to the container, with immediate effect.
  void End(const Loss& loss);
  // The AM was replaced: the executor connects to the new AM.
  void FindAm();
  // The AM's node was lost, together with all messages in flight. The executor repeats the reports about its newest
  // attempt to the next AM.
  void LoseAm();
  // A task of this generation has died. Processes in this container that communicate with it fail soon.
  void FailSoon(int generation);

  // Whether the attempt can take part in a rendezvous. Only for workloads whose tasks rejoin (SimRendezvous).
  bool CanJoin(int attempt) const;
  void Wait() { attempt_->waits = true; }
  void Rejoin(int generation);

 private:
  struct Attempt {
    int number = 0;
    int generation = 0;
    std::vector<bool> runs;  // whether the process runs, by local rank
    bool stopping = false;
    bool ignores_stop = false;
    bool waits = false;  // the attempt has left its generation and waits for a slot in the next one
    core::TaskProgress progress;
    std::optional<Instant> kill_at;  // set when the attempt is being stopped
    Instant kill_by;                 // the latest value that kill_at may take
    Duration grace{};
  };

  void Send(const core::Event& event);
  void Report(const core::Event& event);
  void Command(std::function<void()> what);
  void Register();
  void SendRegistration();
  void Beat();
  void PlanFaults();
  void Disconnect();
  void RunAttempt(int attempt, int generation);
  void PlanExits(const Behaviour& behaviour);
  void StepLater(int left);
  void Hang();
  void ProbeAttempt(const core::StopTask& order);
  void StopAttempt(int attempt, Duration grace, Duration limit);
  void SaveLater(int left);
  void KillWhenDue();
  void KillAttempt(int serial);
  void ExitLater(Duration delay, int rank, ExitStatus exit, bool consequence = false);
  void RankExits(int rank, ExitStatus exit, bool consequence = false);
  void AttemptEnds();
  int GenerationOf(const Attempt& attempt) const { return attempt.waits ? owner_.generation() : attempt.generation; }

  World& world_;
  ContainerOwner& owner_;
  ContainerId id_;
  int node_;
  std::optional<TaskId> task_;
  Channel to_am_, to_executor_;
  uint16_t port_ = 0;
  bool registered_ = false, silent_ = false, leaving_ = false, gone_ = false;
  std::optional<Attempt> attempt_;
  int last_attempt_ = -1;  // the newest attempt that was ordered to start or stop
  int am_ = 0;             // the number of AMs that this container has lost
  bool without_am_ = false;
  std::vector<core::Event> reports_;  // events about the newest attempt
  int64_t beats_ = 0;
  // Counts attempts in this container, so that actions planned for an older attempt are dropped.
  int serial_ = 0;
  Duration stores_;
  bool storing_ = false;
};

}  // namespace howdah::testing::sim
