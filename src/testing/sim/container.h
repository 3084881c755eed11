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
#include "howdah/testing/sim/workload.h"
#include "truth.h"
#include "world.h"

namespace howdah::testing::sim {

class SimContainer;

// How a container was lost, as the backend reports it.
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
  // Processes of a task of the generation have died: neither with success nor because they were stopped.
  virtual void OnDied(TaskId task, int generation) = 0;
  // OnArrived: the processes of an attempt have joined the rendezvous. OnBroken: one of them has ended without success.
  virtual void OnArrived(TaskId task, int attempt) = 0;
  virtual void OnBroken(TaskId task, int attempt) = 0;
  virtual int generation() const = 0;  // the job's current generation
  virtual const Workload& workload() const = 0;
  virtual Truth& truth() = 0;
};

class SimContainer {
 public:
  SimContainer(World& world, ContainerOwner& owner, ContainerId id, int node);
  SimContainer(const SimContainer&) = delete;
  SimContainer& operator=(const SimContainer&) = delete;

  const ContainerId& id() const { return id_; }
  int node() const { return node_; }
  bool gone() const { return gone_; }

  // Orders from the AM. Each takes effect after a random delay.
  void Launch(TaskId task);
  void Start(int attempt, int generation);
  void Stop(const core::StopTask& order);
  void Leave();
  void Kill();

  // Events that happen to the container, with immediate effect.
  void End(const Loss& loss);
  // The container's AM was replaced: connects to the new one.
  void FindAm();
  // The AM's node was lost, together with all messages in flight. The reports about the newest attempt are repeated to
  // the next AM.
  void LoseAm();
  // A peer of this generation has died: processes that communicate with it fail soon.
  void FailSoon(int generation);

  // For processes that continue from one generation to the next (SimMeeting): whether the attempt can take part in a
  // rendezvous.
  bool Meets(int attempt) const;
  void Wait() { attempt_->waits = true; }
  void Rejoin(int generation);

 private:
  struct Attempt {
    int number = 0;
    int generation = 0;
    std::vector<bool> runs;  // by local rank
    bool stopping = false;
    bool ignores_stop = false;
    bool waits = false;  // has left its generation and waits for a rank in the next one
    core::TaskProgress progress;
    std::optional<Instant> kill_at;  // set once stopping
    Instant kill_by;                 // the latest value that kill_at may take
    Duration grace{};
  };

  void Send(const core::Event& event);
  void Report(const core::Event& event);
  void Command(std::function<void()> what);
  void Register();
  void SayHello();
  void Beat();
  void DrawFate();
  void Disconnect();
  void RunAttempt(int attempt, int generation);
  void PlanExits(const Conduct& conduct);
  void StepLater(int left);
  void Stall();
  void LookAtAttempt(const core::StopTask& order);
  void StopAttempt(int attempt, Duration grace, Duration limit);
  void SaveLater(int left);
  void KillWhenDue();
  void KillAttempt(int serial);
  void ExitLater(Duration delay, int rank, ExitStatus exit, bool consequence = false);
  void RankExits(int rank, ExitStatus exit, bool consequence = false);
  void AttemptEnds();
  int WorldOf(const Attempt& attempt) const { return attempt.waits ? owner_.generation() : attempt.generation; }

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
};

}  // namespace howdah::testing::sim
