// A task and its parts. The fields of a part are private, and every change is counted at once (Task::Recount), so that
// the counts of roles and of the job are never stale.
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

// Whether the task is a member of the generation. An elastic role also has optional tasks: the job requests containers
// for them, and they become members when they can. An optional task is not in the journal before it has a container.
class Seat : public TaskPart {
 public:
  Seat(Task& task, bool member, int slot) : TaskPart(task), member_(member), slot_(slot) {}

  bool member() const { return member_; }    // the job waits for it, and ranks count it
  bool leaving() const { return leaving_; }  // scaled away
  bool removed() const { return removed_; }  // has left the role
  bool stays() const { return member_ && !leaving_; }
  int slot() const { return slot_; }  // the task's position in its role's peer group

  void Join() { member_ = true, Changed(); }
  void GiveUp() { member_ = false, Changed(); }
  void Leave() { leaving_ = true, Changed(); }
  void Remove() { removed_ = true, Changed(); }
  void MoveTo(int slot) { slot_ = slot, Changed(); }

 private:
  bool member_, leaving_ = false, removed_ = false;
  int slot_;
};

// The current attempt, or the last one if none runs. The fields are valid until the next attempt starts.
class Attempt : public TaskPart {
 public:
  enum class Run { kNone, kStarting, kRunning };
  // The processes of the attempt.
  struct Ranks {
    std::vector<bool> exited;
    int left = 0;
    int clean = 0;  // exited with 0 by themselves
    Instant last_exit = Instant::min();
    bool all_clean() const { return left == 0 && clean == static_cast<int>(exited.size()); }
  };
  struct StopOrder {
    // Applies a later stop order, which can only shorten the limits.
    void Tighten(Instant now, Instant new_due, Instant new_limit);
    // Restarts the grace, up to `limit`.
    void Extend(Instant now);

    Instant at;              // the time of the first stop order
    Duration grace{};        // the grace of that order
    Instant due = kNever;    // the time at which SIGKILL follows
    Instant limit = kNever;  // the latest that `due` may become
    Instant newest = at;     // the time at which the newest order was decided
  };

  Attempt(Task& task, int number) : TaskPart(task), number_(number) {}

  int number() const { return number_; }
  bool used() const { return used_; }  // an attempt was started under this number
  int generation() const { return generation_; }
  Run run() const { return run_; }
  bool is_open() const { return run_ != Run::kNone; }
  const Ranks& ranks() const { return ranks_; }
  const std::optional<Instant>& started() const { return started_; }
  const std::optional<ExitStatus>& exit() const { return exit_; }
  // The first failure of the attempt. An attempt that is only stopped by order, for example in a drain, has none.
  const std::optional<Failure>& failure() const { return failure_; }
  const std::optional<StopOrder>& stop() const { return stop_; }
  // The end of a pause before the start, or the time by which the attempt must have ended.
  Timer& timer() { return timer_; }

  void Begin(int generation, int processes);
  void MarkRunning(Instant at) { run_ = Run::kRunning, started_ = at, Changed(); }
  // Returns false if there is no such process, or if its exit is already known.
  bool CountExit(int local_rank, Instant at);
  void CountCleanExit() { ++ranks_.clean, Changed(); }
  void EndRanks() { ranks_.left = 0, Changed(); }
  void SetExit(std::optional<ExitStatus> exit) { exit_ = exit; }
  void Fail(Failure failure) { failure_ = std::move(failure), Changed(); }
  void SetRemedy(Remedy remedy) { failure_->remedy = remedy; }
  void ForgetFailure() { failure_.reset(), Changed(); }
  void OrderStop(Instant now, Duration grace) { stop_ = StopOrder{now, grace}, Changed(); }
  // Call it only if a stop was ordered.
  StopOrder& stop_order() { return *stop_; }
  // Call it when the newest stop order is performed late.
  void DelayStop(Duration by);
  void End() { run_ = Run::kNone, timer_.Disarm(), Changed(); }
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

// The sizes of the results that the processes of the current attempt have stored.
struct ResultSizes {
  // processes: the number of processes of the attempt. size: in bytes.
  void Set(int local_rank, size_t processes, int size);
  int64_t Total() const;

  std::vector<int> bytes;  // by local rank, kNoResult for a process without a result; empty if no process has one
};

// The container of the task, or the time since which the task has had none.
class Placement : public TaskPart {
 public:
  explicit Placement(Task& task) : TaskPart(task) {}

  Container* container() const { return container_; }
  bool connected() const;
  const std::string& node() const { return node_; }  // the node of its container, or of its last one
  int launch_failures() const { return launch_failures_; }
  bool preempted() const { return preempted_; }  // its last container was preempted
  // Whether no replacement was granted in time although the job cannot continue without the task.
  bool overdue() const { return overdue_; }
  Instant missing_since() const { return missing_since_; }
  Timer& replacement_timer() { return replacement_timer_; }

  void Attach(Container& container);
  void Detach() { container_ = nullptr, Changed(); }
  // Counts a container that was lost before a start. Returns the number of such losses in a row.
  int CountLaunchFailure() { return ++launch_failures_; }
  void ForgetLaunchFailures() { launch_failures_ = 0; }
  void SetPreempted(bool preempted) { preempted_ = preempted; }
  void SetOverdue(bool overdue) { overdue_ = overdue; }
  void MissSince(Instant now) { missing_since_ = now, overdue_ = false; }
  void EndMissing() { preempted_ = overdue_ = false, replacement_timer_.Disarm(); }

 private:
  Container* container_ = nullptr;
  std::string node_;
  int launch_failures_ = 0;
  bool preempted_ = false, overdue_ = false;
  Instant missing_since_;
  Timer replacement_timer_;
};

// The step that the attempt has reached in the rendezvous of its framework (RendezvousReported).
class RendezvousState : public TaskPart {
 public:
  enum class Step { kNone, kReady, kJoined, kRejoining };
  explicit RendezvousState(Task& task) : TaskPart(task) {}

  Step step() const { return step_; }
  int generation() const { return generation_; }  // the generation of the peer group that the attempt belongs to
  void Set(Step step) { step_ = step, Changed(); }
  void Enter(int generation, Step step) { generation_ = generation, Set(step); }

 private:
  Step step_ = Step::kNone;
  int generation_ = 0;
};

// The parts of an executor's reports that the journal records: the progress of the attempt, and the values reported at
// its end. Also counts the journal entries about the progress.
struct ProgressLog {
  std::optional<TaskProgress> latest;
  bool ready = false;          // the readiness probe has succeeded
  std::optional<Usage> usage;  // the newest sample when the attempt ended
  std::optional<LeftFiles> left_files;
  policy::Pace pace;
  int entries = 0;
  Instant next_entry = Instant::min();
};

// The part of a task that survives its removal, because a later task may get the same index.
struct Ledger {
  int next_attempt = 0;  // attempt numbers are never reused
  int charged = 0;       // restarts that were charged to the task, and still count
  // The times of these restarts, oldest first. Kept only for a role with `restart.window`.
  std::vector<Instant> charged_at;
  int free = 0;  // free restarts after failures of the task's own processes
  // Failures that were not charged although the task may be the cause: a silent executor (the node, the network or the
  // task may be at fault), or a broken GPU. Beyond kMostInfrastructure such failures are charged, so that a task that
  // breaks its nodes does not restart without end.
  int infrastructure = 0;
  static constexpr int kMostInfrastructure = 5;
};

class Task {
 public:
  // The counts of the role, of all ranked tasks and of the job, to which the task's counts are added.
  struct Sums {
    Tally* role = nullptr;
    Tally* ranked = nullptr;  // nullptr if the task is not ranked
    Tally* all = nullptr;
    const Task** last_changed = nullptr;
    const jobspec::RestartLimit* restart = nullptr;
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
  ResultSizes results;

  // Copies the newest usage sample to the task. Call it only when an attempt or its container ends: a resumed AM
  // replays heartbeats late, but always before these events (core::Heartbeats).
  void TakeUsage();

  // A failure of the current attempt, with its node and its running time so far.
  Failure NewFailure(Cause::Kind kind, Instant at) const;

  TaskState state() const { return state_; }
  bool done() const { return done_; }                // ended, and will not be restarted
  bool backing_off() const { return backing_off_; }  // waits until the attempt's timer fires
  // The stack location of the processes when the task hung, or when it was stopped because another task hung. Empty if
  // not known.
  const std::string& stack() const { return stack_; }
  const Tally& counts() const { return counted_; }
  // The readiness probe of the attempt has succeeded, and the attempt has not ended.
  bool serving() const { return attempt.is_open() && progress.ready; }
  // All processes of the attempt run: none has exited or failed, and no stop was ordered.
  bool whole() const;
  // The journal has an entry for the task.
  bool known() const { return seat.member() || placement.container() != nullptr; }

  void Become(TaskState state) { state_ = state, Recount(); }
  void SetDone(bool done) { done_ = done, Recount(); }
  void SetStarted(bool started) { started_ = started, Recount(); }
  void SetBackingOff(bool backing_off) { backing_off_ = backing_off; }
  void SetStack(std::string stack) { stack_ = std::move(stack); }
  void Charge(Instant now);
  // Forgets the charged restarts that the role's `restart.window` does not cover any more.
  void ForgetOldCharges(Instant now);
  void Recount();
  // The counts that Recount last added to the sums match the task's current state.
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
