// The job, and what is done at each event. The decisions are the policies' (gang.h, restart.h, outcome.h); here the
// facts are kept and the orders written. One .cc file a concern:
//   job.cc         events in, actions out; what follows from an event (Settle)
//   records.cc     what is written to the journal
//   asking.cc      what is asked of the place
//   containers.cc  granting, registering, losing, giving back
//   gathering.cc   what comes together before it starts
//   attempts.cc    starting a task and what becomes of the attempt
//   recovery.cc    restarts: one task, the ranked tasks, the job
//   scaling.cc     sizes that people want
//   meeting.cc     ranked tasks that go on in another world without starting again
//   hangs.cc       attempts without a sign of life
//   elastic.cc     sizes that come about: growing as containers come, going on without what is missing
//   ending.cc      the end of the job
//   invariants.cc  what must always hold
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gang.h"
#include "howdah/core/job.h"
#include "model.h"
#include "nodes.h"
#include "outcome.h"
#include "random.h"
#include "restart.h"
#include "timers.h"

namespace howdah::core {

class Job::Impl {
 public:
  Impl(jobspec::JobSpec spec, FrameworkRules rules, Instant submitted, uint64_t seed);

  StepResult Step(const Event& event, Instant now);
  std::optional<Instant> NextDeadline() const;
  void CheckInvariants() const;

  const PeerGroup& peers();
  const Exports& exports() const { return exports_; }
  const jobspec::JobSpec& spec() const { return spec_; }
  bool finished() const { return finished_; }

 private:
  // How often a task's container is replaced before anything ran in it.
  static constexpr int kReplacements = 2;
  // How long ranked tasks that go on may take to notice that their world is no more.
  static constexpr Duration kMeetLimit = std::chrono::minutes(1);

  // Which tasks something is about.
  enum class Scope { kRanked, kAll };
  enum class JobTimer { kGang, kHold, kHoldNotice, kAskAgain, kBackoff, kRun, kSettle, kNews, kMeet, kCount };

  // Attempts of the scope are being stopped so that all of it can start again.
  struct Drain {
    Scope scope = Scope::kRanked;
    std::string why;   // if it is not the failure of a task: a clause
    bool stay = true;  // tasks that can go on in another world need not be stopped
  };
  // After a restart: no task of the scope starts yet.
  struct Barrier {
    Scope scope = Scope::kAll;
    bool everyone = false;  // until all of the scope are registered that need not wait for others to end
    bool backoff = false;   // until the pause is over
  };
  struct Ending {
    enum class Cause {
      kFixed,      // reason says it
      kFailure,    // the first failure that counts, known for certain at the end
      kTolerated,  // all tasks whose failure is tolerated have failed
    };
    JobState state = JobState::kFailed;
    int exit_code = 1;
    Cause cause = Cause::kFixed;
    std::string reason;
    Duration grace{};
    bool exactly = false;  // somebody asked for this grace: it is not extended
  };
  // How a container went.
  struct Loss {
    std::string how;  // a clause
    bool excused = false;
    bool taken = false;
  };
  struct FirstFailure {
    Task* task = nullptr;
    int others = 0;  // that came after it
    int all = 0;
  };

  // --- job.cc
  void On(const AmStarted& e);
  void On(const AmResumed& e);
  void On(const ContainerGranted& e);
  void On(const ContainerStarting& e);
  void On(const ContainerExited& e);
  void On(const ReclaimAnnounced& e);
  void On(const RequestsDelayed& e);
  void On(const RequestsRefused& e);
  void On(const ExecutorRegistered& e);
  void On(const ExecutorRefused& e);
  void On(const HeartbeatReceived& e);
  void On(const ExecutorDisconnected& e);
  void On(const TaskStarted& e);
  void On(const RankExited& e);
  void On(const TaskStartFailed& e);
  void On(const TaskEnded& e);
  void On(const TaskProgressed& e);
  std::optional<ReportedCheckpoint> NewestCheckpoint();
  void WatchPace(Task& task);
  void On(const TaskSaving& e);
  void On(const TaskHung& e);
  void On(const StackSampled& e);
  void On(const RendezvousReported& e);
  void On(const ScaleRequested& e);
  void On(const StopRequested& e);
  void On(const Ticked& e);
  void Settle();
  bool Due(Timer& timer, const TimerQueue::Entry& entry);
  void FireJobTimer(JobTimer timer);
  void OpenRoles();
  void LiftBarrier();
  void StartReady();
  bool RoleMayStart(const Role& role) const;
  bool AfterHolds(const Role& role) const;
  bool EndsHold(const Role& role) const;
  bool Gathers(const Role& role) const;
  // Counts over the roles of which this holds.
  template <typename Of>
  Tally Sum(Of of) const {
    Tally sum;
    for (const Role& role : roles_) {
      if (of(role)) sum.Add(role.tally, 1);
    }
    return sum;
  }
  Tally Filling() const {
    return Sum([](const Role& role) { return role.fills; });
  }
  bool filling() const {
    return std::any_of(roles_.begin(), roles_.end(), [](const Role& role) { return role.fills; });
  }
  Timer& TimerOf(JobTimer timer) { return job_timers_[static_cast<size_t>(timer)]; }
  void Arm(JobTimer timer, Instant due);
  void Arm(Task& task, Instant due);
  void Arm(Container& container, Instant due);
  // A peer's clock may be wrong by any amount.
  Instant Sane(Instant at) const;
  const jobspec::RoleSpec& SpecOf(const Task& task) const { return spec_.roles[static_cast<size_t>(task.id.role)]; }
  // What its role is by now.
  jobspec::RoleKind KindOf(const Task& task) const { return roles_[static_cast<size_t>(task.id.role)].kind; }
  Past& PastOf(const Task& task) { return RoleOf(task).past[static_cast<size_t>(task.id.index)]; }
  Role& RoleOf(const Task& task) { return roles_[static_cast<size_t>(task.id.role)]; }
  std::string NameOf(const Task& task) const;
  // The journal has it.
  static bool Known(const Task& task) { return task.member || task.container != nullptr; }
  // Brings the counts up to date after any change of the task.
  void Recount(Task& task);
  const Tally& TallyOf(Scope scope) const { return scope == Scope::kAll ? all_ : ranked_; }
  bool In(Scope scope, const Task& task) const { return scope == Scope::kAll || task.ranked; }
  bool Draining(const Task& task) const { return drain_ && In(drain_->scope, task); }
  template <typename Visit>
  void ForEachTask(Visit visit) {
    for (Role& role : roles_) {
      for (Task& task : role.tasks) visit(task);
    }
  }

  // --- records.cc
  TaskChanged Note(const Task& task, TaskChanged::Type type) const;
  TaskChanged NoteInWorld(const Task& task, TaskChanged::Type type) const;
  void Write(Change change) { actions_.push_back(Record{std::move(change)}); }
  // PENDING, ALLOCATED or READY; reason: why it is PENDING again
  void NotePlaced(const Task& task, std::optional<std::string> reason = std::nullopt);
  std::vector<int> RanksOfTask(const Task& task) const;
  void NoteStarted(const Task& task, const std::vector<int>& pids);
  void NoteRejoined(const Task& task);
  void NoteEnded(const Task& task, Instant at);
  void NoteStopped(const Task& task, std::optional<std::string> reason = std::nullopt);
  void NoteRemoved(const Task& task) { Write(Note(task, TaskChanged::Type::kRemoved)); }
  void NoteResumed(const AmResumed& e);
  void NoteProgress(Task& task);
  void NoteRecovering(const std::string& reason);
  void NoteRunning();
  void NoteWaiting();

  // --- asking.cc
  Task* NextLacking(Role& role);
  void Want(const Task& task);
  bool MayAsk(const Role& role) const;
  void AskForLacking();
  bool AsksTogether(const RequestContainers& request) const;
  void AskAgain();
  void Request(const std::vector<int>& asks);
  int WantedBy(const Role& role) const;

  // --- containers.cc
  Container* Find(const ContainerId& id);
  Container* Hear(const ContainerId& id);
  Container& Admit(const ContainerGranted& e);
  void Assign(Container& container, Task& task);
  void Launch(Container& container);
  void Unplace(Task& task, const std::optional<std::string>& reason = std::nullopt);
  void Detach(Task& task);
  void Release(Container& container);
  void ReleaseFrom(Task& task);
  void Kill(Container& container);
  void Gone(Container& container, const Loss& loss);
  std::string AlsoThere(const Container& container);
  void FireContainer(Container& container, Instant due);
  void Lose(Container& container, const Loss& loss, Instant at);
  static bool IsAhead(const Task& task, int attempt);
  void LoseAhead(Container& container);
  void NeverConnects(Container& container, const std::string& why);
  void LoseIdle(Task& task, const Loss& loss, Instant at);
  void OrderAgain(Container& container);

  // --- gathering.cc
  void Fill();
  void Refill();
  bool FillAgain();
  void GiveBack();
  void GiveBackIdle(Role& role);
  void CloseRole(Role& role);
  bool AwaitsPreempted() const;
  void FireGang();
  void FailGang();

  // --- attempts.cc
  Task* OpenAttempt(const ContainerId& container, int attempt);
  void Start(Task& task);
  void Stop(Task& task, Duration grace, bool exactly = false);
  void OrderAgain(const Task& task);
  void NoteFailure(Task& task, Failure failure);
  Failure Diagnosed(Task& task, Failure failure, const Diagnosis& diagnosis) const;
  Failure FailureOf(const Task& task, Failure::How how, Instant at) const;
  Failure FailureOf(const Task& task, Failure::How how, Instant at, const Loss& loss) const;
  void Close(Task& task, Instant at);
  void MarkDone(Task& task);
  bool MayStartAgain(const Task& task) const;
  void FireTask(Task& task);

  // --- recovery.cc
  int BudgetOf(const Task& task) const;
  int JobBudget() const { return spec_.restart_max - job_restarts_; }
  bool CountsFor(const Task& task) const;
  Remedy RemedyFor(const Task& task) const;
  static bool Excused(const Task& task);
  static bool IsFinalByRule(const Task& task);
  bool SomeRankedSilent() const;
  void React(Task& task);
  void BlameNode(const Task& task);
  void AvoidNodes();
  Duration Charge(Task& task);
  void RestartAlone(Task& task);
  void Revive(Task& task);
  void BeginDrain(Drain drain);
  void FailOrStartAgain(Ending ending);
  void StopScope(Scope scope);
  void FinishDrain();
  void NextGeneration(Scope scope, Duration pause, const std::string& reason);

  // --- scaling.cc
  void Scale(int role, int instances, const std::string& by);
  void ApplyWaitingScales();
  void Widen(int role, int size);
  void Narrow(int role, int size);
  void AddTask(int role, bool member);
  void Leave(Task& task);
  void Remove(Task& task);
  void Trim(Role& role);

  // --- hangs.cc
  void NoteStands(Task& task, std::string_view where);
  bool IsWorthALook(const Task& task) const;
  std::string HowFailed(const Task& task);

  // --- meeting.cc
  bool Stays(const Task& task) const;
  void AskToLeave();
  void StopStragglers();
  bool SomeStateStays() const;
  bool AllHaveMet() const;
  void ForgetMeeting();
  bool Forming() const;
  bool IsAwaited(const Task& task) const;
  void RejoinWaiting();
  void GiveUpWaiting();
  std::string HowTheyRecover() const;

  // --- elastic.cc
  bool MayGrow(const Role& role) const;
  void DismissNewcomers();
  void TakeInUnranked();
  void Join(Task& task);
  bool Gathered();
  bool Forms(const Role& role) const;
  std::vector<Task*> Newcomers(Role& role) const;
  void TakeInRanked();
  void GivePlaces(Role& role);
  void Grow();
  void AwaitAnother(Task& task);
  void FireMissing(Task& task);
  bool CanGoOnWithout(const Task& task);
  void GoOnWithoutOverdue(Role& role);
  void GoOnWithout(Task& task);
  int WorldSize(size_t role) const;
  void LoseNewcomer(Task& task, const Loss& loss);

  // --- directing.cc
  bool AllThere() const;
  bool MayDirect();
  bool NewsMayWait();
  void AddNews(const Task& of, const std::string& what);
  void TellNews();
  void ForgetNews();

  // --- ending.cc
  void BeginEnding(Ending ending);
  void EndTask(Task& task);
  void Hurry(Duration grace, bool exactly);
  void JudgeOutcome();
  void WatchOutliving();
  void FireRole(int role);
  bool ExplainsEnd(const Task& task, const Task& other) const;
  FirstFailure FirstFailureOf(Ending::Cause cause);
  // Where no failure ends the job, the advice is none: what was advised of the job that worked goes on to hold.
  std::string ReasonOf(const Ending& ending, std::optional<std::string>* advice);
  void Finish();

  // --- invariants.cc
  void CheckStep() const;
  void CheckTask(const Task& task) const;

  const jobspec::JobSpec spec_;
  const FrameworkRules rules_;
  const Instant submitted_;
  const bool together_;  // no task starts before all are registered
  Random random_;
  Instant now_;      // never goes back
  Instant told_at_;  // of the step, as it was given

  std::vector<Role> roles_;
  PeerGroup endpoints_;             // of all tasks, by index
  std::optional<PeerGroup> world_;  // of the members, by place, once somebody has asked in this Step
  Exports exports_;
  Tally all_, ranked_;
  std::deque<Container> slots_;
  std::vector<int> free_slots_;
  std::unordered_map<ContainerId, int> by_id_;
  Nodes nodes_;

  JobState state_ = JobState::kQueued;
  int generation_ = 0;
  int first_attempt_ = 0;  // of every task: lower numbers are of former AMs
  int job_restarts_ = 0;
  std::optional<Instant> running_since_;
  bool finished_ = false;
  bool judge_ = false;  // a task is done since the outcome was judged last

  bool gave_back_ = false;  // an incomplete gang, that will be asked for again when its timer fires
  int fill_round_ = 1;
  Duration hold_limit_{};
  Instant last_grant_;
  Instant gang_since_;  // it is incomplete

  std::optional<Drain> drain_;
  std::optional<Barrier> barrier_;
  std::optional<Ending> ending_;
  std::string news_;                    // of tasks, that those who direct the others do not know
  std::optional<Instant> news_due_;     // when they are told, though more is to come
  bool deaf_ = false;                   // they could not be asked, in this generation
  std::string asked_to_meet_;           // why the ranked tasks are to leave their world; empty: they were not asked
  bool settled_ = false;                // newcomers have been waited for as long as timeouts.settle says
  std::vector<std::string> abandoned_;  // containers that did not go when they were killed

  std::string own_wait_, place_wait_, noted_wait_;

  TimerQueue timers_;
  std::array<Timer, static_cast<size_t>(JobTimer::kCount)> job_timers_;
  std::vector<Action> actions_;
  bool unmoved_ = false;     // see Job::unmoved
  Task* touched_ = nullptr;  // by this Step, for the cheap check
};

}  // namespace howdah::core
