// A simulated container: its executor, the user's processes, and everything that can happen to them.
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
  std::string how = {};  // a clause; empty: it ended as ordered
  bool infrastructure = false, preempted = false;
};

// The job that a container belongs to.
class ContainerOwner {
 public:
  virtual ~ContainerOwner() = default;
  // Hands an event to the AM's loop, now.
  virtual void Deliver(const core::Event& event) = 0;
  virtual void OnGone(SimContainer& container, const Loss& loss) = 0;
  // Processes of a task of the generation have died otherwise than by succeeding or being stopped.
  virtual void OnDied(TaskId task, int generation) = 0;
  // The processes of an attempt meet others, or one of them has ended without having succeeded.
  virtual void OnArrived(TaskId task, int attempt) = 0;
  virtual void OnBroken(TaskId task, int attempt) = 0;
  virtual int generation() const = 0;  // of the job
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

  // What the AM asks of it; each takes its time to arrive.
  void Launch(TaskId task);
  void Start(int attempt, int generation);
  void Stop(const core::StopTask& order);
  void Leave();
  void Kill();

  // What befalls it, now.
  void End(const Loss& loss);
  // Its AM was replaced: it finds the new one.
  void FindAm();
  // The node of its AM was lost, and with it what was on its way between them. What it has said of its newest attempt
  // it says again to the next AM.
  void LoseAm();
  // A peer of this generation has died: what talks to it fails soon.
  void FailSoon(int generation);

  // Of processes that go from one world to the next (SimMeeting): whether the attempt's can be heard there.
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
    bool waits = false;  // for its place in the next world
    core::TaskProgress progress;
    std::optional<Instant> kill_at;  // once stopping
    Instant kill_by;                 // the latest that this may become
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
  int last_attempt_ = -1;  // the newest that was ordered to start or stop
  int am_ = 0;             // how many it has lost
  bool without_am_ = false;
  std::vector<core::Event> reports_;  // what became of the newest attempt
  int64_t beats_ = 0;
  int serial_ = 0;  // of the attempts here: what was planned for an older one does not happen
};

}  // namespace howdah::testing::sim
