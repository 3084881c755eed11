// A task and its parts. Each part keeps its fields to itself; every change of one is counted at once (Task::Recount),
// so that the sums of roles and of the job are never stale.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "failure.h"
#include "howdah/base/exit_status.h"
#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/core/policy/stragglers.h"
#include "howdah/core/states.h"
#include "tally.h"
#include "timers.h"

namespace howdah::core {

class Container;
class Task;

class TaskPart {
 public:
  TaskPart(const TaskPart&) = delete;
  TaskPart& operator=(const TaskPart&) = delete;

 protected:
  explicit TaskPart(Task& task) : task_(task) {}
  void Changed();

 private:
  Task& task_;
};

// Whether the task takes part. An elastic role has optional tasks, too: containers are requested for them, and they
// become members when they can. An optional task is not in the journal before it has a container.
class Seat : public TaskPart {
 public:
  Seat(Task& task, bool member, int slot) : TaskPart(task), member_(member), slot_(slot) {}

  bool member() const { return member_; }    // the job waits for it, and ranks count it
  bool leaving() const { return leaving_; }  // scaled away
  bool removed() const { return removed_; }  // has left
  bool stays() const { return member_ && !leaving_; }
  int slot() const { return slot_; }  // its index in the peer group that tasks are sent

  void Join() { member_ = true, Changed(); }
  void GiveUp() { member_ = false, Changed(); }
  void Leave() { leaving_ = true, Changed(); }
  void Remove() { removed_ = true, Changed(); }
  void MoveTo(int slot) { slot_ = slot, Changed(); }

 private:
  bool member_, leaving_ = false, removed_ = false;
  int slot_;
};

// The current attempt, or the last one: its fields are valid from its start to the next one's.
class Attempt : public TaskPart {
 public:
  enum class Run { kNone, kStarting, kRunning };
  // Its processes.
  struct Ranks {
    std::vector<bool> exited;
    int left = 0;
    int clean = 0;  // exited with 0 by themselves
    Instant last_exit = Instant::min();
    bool all_clean() const { return left == 0 && clean == static_cast<int>(exited.size()); }
  };
  struct StopOrder {
    Instant at;              // when it was first ordered to stop
    Duration grace{};        // of that order
    Instant due = kNever;    // when SIGKILL ends the stop
    Instant limit = kNever;  // the latest that `due` may become
  };

  Attempt(Task& task, int number) : TaskPart(task), number_(number) {}

  int number() const { return number_; }
  bool used() const { return used_; }  // it was started under this number
  int generation() const { return generation_; }
  Run run() const { return run_; }
  bool is_open() const { return run_ != Run::kNone; }
  const Ranks& ranks() const { return ranks_; }
  const std::optional<Instant>& started() const { return started_; }
  const std::optional<ExitStatus>& exit() const { return exit_; }
  // Only of an attempt that failed by itself; the first in time.
  const std::optional<Failure>& failure() const { return failure_; }
  const std::optional<StopOrder>& stop() const { return stop_; }
  // Until a pause before the start is over, or the attempt must have ended.
  Timer& timer() { return timer_; }

  void Begin(int generation, int processes);
  void MarkRunning(Instant at) { run_ = Run::kRunning, started_ = at, Changed(); }
  // false: there is no such process, or its exit is known.
  bool CountExit(int local_rank, Instant at);
  void CountCleanExit() { ++ranks_.clean, Changed(); }
  void EndRanks() { ranks_.left = 0, Changed(); }
  void SetExit(std::optional<ExitStatus> exit) { exit_ = exit; }
  void Fail(Failure failure) { failure_ = std::move(failure), Changed(); }
  void SetRemedy(Remedy remedy) { failure_->remedy = remedy; }
  void ForgetFailure() { failure_.reset(), Changed(); }
  void OrderStop(Instant now, Duration grace) { stop_ = StopOrder{now, grace}, Changed(); }
  void TightenStop(Instant due, Instant limit);
  void ExtendStop(Instant now);
  void End() { run_ = Run::kNone, timer_.due = kNever, Changed(); }
  void Renumber(int number) { number_ = number, used_ = false; }

 private:
  int number_;
  bool used_ = false;
  int generation_ = 0;
  Run run_ = Run::kNone;
  Ranks ranks_;
  std::optional<Instant> started_;
  std::optional<ExitStatus> exit_;
  std::optional<Failure> failure_;
  std::optional<StopOrder> stop_;
  Timer timer_;
};

// Where the task runs, and since when it lacks a container.
class Placement : public TaskPart {
 public:
  explicit Placement(Task& task) : TaskPart(task) {}

  Container* container() const { return container_; }
  bool connected() const;
  const std::string& node() const { return node_; }  // of its container, or of the last one
  int launch_failures() const { return launch_failures_; }
  bool preempted() const { return preempted_; }  // its last container was
  bool overdue() const { return overdue_; }      // its replacement is, and the job could not go on without it
  Instant missing_since() const { return missing_since_; }
  Timer& replacement_timer() { return replacement_timer_; }

  void Attach(Container& container);
  void Detach() { container_ = nullptr, Changed(); }
  // A container was lost before a start. Returns how many were, in a row.
  int CountLaunchFailure() { return ++launch_failures_; }
  void ForgetLaunchFailures() { launch_failures_ = 0; }
  void SetPreempted(bool preempted) { preempted_ = preempted; }
  void SetOverdue(bool overdue) { overdue_ = overdue; }
  void MissSince(Instant now) { missing_since_ = now, overdue_ = false; }
  void EndMissing() { preempted_ = overdue_ = false, replacement_timer_.due = kNever; }

 private:
  Container* container_ = nullptr;
  std::string node_;
  int launch_failures_ = 0;
  bool preempted_ = false, overdue_ = false;
  Instant missing_since_;
  Timer replacement_timer_;
};

// How far the attempt is with the rendezvous of its framework (RendezvousReported).
class RendezvousState : public TaskPart {
 public:
  enum class Step { kNone, kReady, kJoined, kRejoining };
  explicit RendezvousState(Task& task) : TaskPart(task) {}

  Step step() const { return step_; }
  int generation() const { return generation_; }  // whose peer group it belongs to
  void Set(Step step) { step_ = step, Changed(); }
  void Enter(int generation, Step step) { generation_ = generation, Set(step); }

 private:
  Step step_ = Step::kNone;
  int generation_ = 0;
};

// The reported progress of an attempt, and the entries that the journal has of it.
struct ProgressLog {
  std::optional<TaskProgress> latest;
  std::optional<Usage> usage;  // the newest sample when the attempt ended
  policy::Pace pace;
  int entries = 0;
  Instant next_entry = Instant::min();
};

// The part that outlasts a task that leaves: its index may come back.
struct Ledger {
  int next_attempt = 0;  // attempt numbers are never reused
  int charged = 0;       // restarts that used up its budget
  int free = 0;          // restarts after failures of its own processes that were not charged
  // Failures that were not charged although the task itself may be the cause: a silent executor (its node, the network
  // or the task), a broken GPU. Beyond kMostInfrastructure they are charged, so that a task that ruins its nodes is
  // stopped.
  int infrastructure = 0;
  static constexpr int kMostInfrastructure = 5;
};

class Task {
 public:
  // The sums it is counted in.
  struct Sums {
    Tally* role = nullptr;
    Tally* ranked = nullptr;  // nullptr: it is not ranked
    Tally* all = nullptr;
    const Task** last_changed = nullptr;
    int restart_max = 0;
  };
  Task(TaskId task_id, Ledger& task_ledger, const Sums& sums, bool member);
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const TaskId id;
  const bool ranked;
  Ledger& ledger;
  Seat seat;
  Attempt attempt;
  Placement placement;
  RendezvousState rendezvous;
  ProgressLog progress;

  TaskState state() const { return state_; }
  bool done() const { return done_; }                // ended, and not to be restarted
  bool backing_off() const { return backing_off_; }  // until its attempt's timer fires
  // Where its processes were when it hung, or was stopped because others hung; empty: not known.
  const std::string& stack() const { return stack_; }
  const Tally& counts() const { return counted_; }
  // It runs, and so do all of its processes.
  bool whole() const;
  // The journal has an entry of it.
  bool known() const { return seat.member() || placement.container() != nullptr; }

  void Become(TaskState state) { state_ = state, Recount(); }
  void SetDone(bool done) { done_ = done, Recount(); }
  void SetStarted(bool started) { started_ = started, Recount(); }
  void SetBackingOff(bool backing_off) { backing_off_ = backing_off; }
  void SetStack(std::string stack) { stack_ = std::move(stack); }
  void Charge() { ++ledger.charged, Recount(); }
  void Recount();
  // What Recount has added to the sums is what the task is.
  bool CountedRight() const { return counted_ == Count(); }

 private:
  Tally Count() const;

  const Sums sums_;
  TaskState state_ = TaskState::kPending;
  bool done_ = false, backing_off_ = false;
  bool started_ = false;  // has been RUNNING in this generation
  std::string stack_;
  Tally counted_;
};

}  // namespace howdah::core
