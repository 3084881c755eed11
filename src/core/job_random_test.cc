// Any events in any order neither abort the core nor corrupt its counts. If the backend answers, the job always ends.
// The sequences of events are random, from seeds; a failure prints its seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "howdah/core/job.h"
#include "howdah/core/policy/random.h"
#include "transcript.h"

namespace howdah::core::testing {
namespace {

class Chaos {
 public:
  explicit Chaos(uint64_t seed) : random_(seed), now_(At(Duration(0))) {
    jobspec::JobSpec spec = JobOf({});
    calm_ = 2 + Below(8);
    const int roles = 1 + Below(4);
    FrameworkRules rules;
    for (int r = 0; r < roles; ++r) {
      spec.roles.push_back(RandomRole(r));
      rules.restarts_together.push_back(Below(2) == 0 && spec.roles.back().kind == jobspec::RoleKind::kWorker);
    }
    rules.needs_whole_cluster = Below(3) == 0;
    spec.start = Below(3) == 0 ? jobspec::StartMode::kFree : jobspec::StartMode::kGang;
    spec.restart_max = Below(3);
    if (Below(3) == 0) spec.timeouts.gang = std::chrono::seconds(Below(60));
    if (Below(3) == 0) spec.timeouts.register_ = std::chrono::seconds(Below(10));
    if (Below(4) == 0) spec.timeouts.run = std::chrono::seconds(Below(100));
    job_ = std::make_unique<Job>(spec, rules, now_, seed);
    rejoins_ = Below(3) == 0;
    Step(AmStarted{"node0", 0});
  }

  // Sends a random event: mostly a plausible one, sometimes one that no backend would send.
  void SendRandomEvent() {
    now_ += Duration(static_cast<int64_t>(random_.Next() % (Below(20) == 0 ? 60'000'000 : 200'000)));
    if (Below(10) == 0) EndAttempts();
    if (Below(calm_) != 0 && !plausible_.empty()) {
      // Choose one of the first events, so that the events arrive nearly in the order in which they were planned.
      const size_t i = random_.Next() % std::min<size_t>(plausible_.size(), 8);
      const Event event = plausible_[i];
      // Keep some events, so that they are repeated later.
      if (Below(8) != 0) plausible_.erase(plausible_.begin() + static_cast<std::ptrdiff_t>(i));
      Step(event);
    } else {
      Step(RandomEvent());
    }
  }

  // From now on the backend and the executors answer, all started tasks succeed, and time advances.
  void StopFaults() {
    faultless_ = true;
    EndAttempts();
    for (const ContainerId& id : held_) plausible_.push_back(ContainerExited{id, ""});
  }
  void SendNextEvent() {
    if (plausible_.empty()) EndAttempts();
    if (!plausible_.empty()) {
      const Event event = plausible_.front();
      plausible_.erase(plausible_.begin());
      Step(event);
    } else if (const auto due = job_->NextDeadline()) {
      now_ = std::max(now_, *due);
      Step(Ticked{});
    } else if (!job_->finished()) {
      Step(StopRequested{"a test", std::nullopt});
    }
  }

  const Job& job() const { return *job_; }
  size_t held() const { return held_.size(); }

 private:
  int Below(int n) { return static_cast<int>(random_.Next() % static_cast<uint64_t>(n)); }

  jobspec::RoleSpec RandomRole(int r) {
    return RoleOf("r" + std::to_string(r), 1 + Below(4), [&](jobspec::RoleSpec& role) {
      if (Below(3) == 0) role.instances.max += Below(4);
      role.processes = 1 + Below(2) * Below(3);
      role.restart = {Below(3), std::chrono::milliseconds(Below(3) * 500)};
      role.kind = r == 0 ? jobspec::RoleKind::kWorker : static_cast<jobspec::RoleKind>(Below(4));
      if (Below(3) == 0) role.on_failure = static_cast<jobspec::OnFailure>(Below(4));
      if (Below(4) == 0) role.timeout = std::chrono::seconds(1 + Below(9));
      if (r > 0 && Below(4) == 0) {
        role.outlive = jobspec::Outlive{{"r" + std::to_string(Below(r))},
                                        std::chrono::seconds(Below(9)),
                                        static_cast<jobspec::Outlive::Then>(Below(3))};
      }
      role.chief = r == 0 && Below(3) == 0;
      if (r > 0 && Below(3) == 0) role.after.push_back({"r" + std::to_string(Below(r)), Below(3) == 0});
    });
  }

  // Plans the ends of the running attempts.
  void EndAttempts() {
    plausible_.insert(plausible_.end(), ends_.begin(), ends_.end());
    ends_.clear();
  }

  ContainerId RandomContainer() { return {"c" + std::to_string(Below(next_container_ + 2))}; }
  Instant RandomInstant() {
    if (Below(50) == 0) return Below(2) == 0 ? Instant::max() : Instant::min();
    return now_ - Duration(static_cast<int64_t>(random_.Next() % 3'000'000)) + std::chrono::seconds(1);
  }
  ExitStatus RandomExit() {
    if (Below(3) == 0) return {.signal = 1 + Below(64)};
    if (Below(20) == 0) return {};
    return {.code = Below(3) == 0 ? 7 : 0};
  }

  Event RandomEvent() {
    const int attempt = Below(4) - (Below(10) == 0);
    switch (Below(40)) {
      case 0:
        return Below(2) == 0 ? Event(AmStarted{"node1", 1}) : Event(AmResumed{2, "died"});
      case 1:
        return ContainerGranted{RandomContainer(), Below(6) - 1, "node1"};
      case 2:
        if (Below(4) == 0) return ReclaimAnnounced{RandomContainer(), "preempted"};
        return ContainerExited{RandomContainer(), Below(2) == 0 ? "its executor was killed" : "", Below(3) == 0};
      case 4:
        return RequestsDelayed{Below(2) == 0 ? "the queue is full" : "", Below(4) == 0};
      case 5:
        return Below(40) == 0 ? Event(RequestsRefused{"too big"}) : Event(Ticked{});
      case 6:
        return Below(2) == 0 ? Event(ExecutorDisconnected{RandomContainer()})
                             : Event(ExecutorStoring{RandomContainer()});
      case 7:
        return ExecutorRegistered{RandomContainer(), {"h", 1}};
      case 8:
        return TaskStarted{RandomContainer(), attempt, {1}, RandomInstant()};
      case 9:
        return TaskStartFailed{RandomContainer(), attempt, RandomInstant(), 127, {"not found", "look"}};
      case 10:
      case 11:
        return TaskEnded{RandomContainer(), attempt, RandomInstant()};
      case 3:
      case 12:
        return RankExited{RandomContainer(), attempt,        Below(5) - 1, RandomExit(),
                          RandomInstant(),   {"bo\nom", ""}, {},           Below(4) == 0};
      case 13:
      case 14:
      case 15:
      case 16:
      case 17:
        return ScaleRequested{Below(6) - 1, Below(9) - 1, "ann"};
      case 18:
        if (Below(30) == 0)
          return StopRequested{"ann", Below(2) == 0 ? std::optional(Duration(Below(9) - 2)) : std::nullopt};
        return Ticked{};
      case 19:
        return Below(2) == 0 ? Event(ContainerStarting{RandomContainer(), Below(2) == 0 ? "its files" : ""})
                             : Event(Ticked{});
      case 20:
        if (Below(8) == 0) return OrdersDelayed{now_ + std::chrono::seconds(Below(90))};
        return Below(8) == 0 ? Event(ExecutorRefused{RandomContainer(), "of another version"}) : Event(Ticked{});
      case 21:
      case 22:
        return RendezvousReported{
            {Below(4) - 1, Below(5) - 1}, attempt, static_cast<RendezvousReported::Step>(Below(4))};
      case 23:
        return Below(4) == 0 ? Event(TaskHung{RandomContainer(), attempt, RandomInstant(), RandomInstant(), "cpu", "m"})
                             : Event(StackSampled{RandomContainer(), attempt, Below(4) == 0 ? "" : "main\n"});
      default:
        return HeartbeatReceived{RandomContainer()};
    }
  }

  void Step(const Event& event) {
    if (const auto* gone = std::get_if<ContainerExited>(&event)) held_.erase(gone->container);
    const bool was_finished = job_->finished();
    const auto actions = job_->Step(event, now_).actions;
    EXPECT_TRUE(!was_finished || actions.empty() || std::holds_alternative<AmResumed>(event));
    job_->CheckInvariants();
    for (const Action& action : actions) std::visit([this](const auto& a) { Answer(a); }, action);
  }

  void Answer(const RequestContainers& a) {
    for (const auto& ask : a.asks) {
      ASSERT_GT(ask.count, 0);
      for (int i = 0; i < ask.count; ++i) {
        const ContainerId id{"c" + std::to_string(next_container_++)};
        plausible_.push_back(ContainerGranted{id, ask.role, "node" + std::to_string(Below(3))});
      }
    }
  }
  void Answer(const CancelRequests&) {}
  void Answer(const LaunchExecutor& a) {
    held_.insert(a.container);
    plausible_.push_back(ExecutorRegistered{a.container, {"host", 4000}});
  }
  void Answer(const ReleaseContainer& a) { plausible_.push_back(ContainerExited{a.container, ""}); }
  void Answer(const KillContainer& a) { plausible_.push_back(ContainerExited{a.container, ""}); }
  void Answer(const StartTask& a) {
    const int processes = job_->spec().roles[static_cast<size_t>(a.task.role)].processes;
    plausible_.push_back(
        TaskStarted{a.container, a.attempt, std::vector<int>(static_cast<size_t>(processes), 1), now_});
    if (rejoins_) {
      plausible_.push_back(RendezvousReported{a.task, a.attempt, RendezvousReported::Step::kReady});
      plausible_.push_back(RendezvousReported{a.task, a.attempt, RendezvousReported::Step::kJoined});
      if (Below(2) == 0) ends_.push_back(RendezvousReported{a.task, a.attempt, RendezvousReported::Step::kRejoining});
    }
    for (int rank = 0; rank < processes; ++rank) {
      const ExitStatus exit = faultless_ || Below(2) == 0 ? ExitStatus{.code = 0} : RandomExit();
      ends_.push_back(RankExited{a.container, a.attempt, rank, exit, now_ + Duration(Below(1000)), {"boom", "fix it"}});
    }
    ends_.push_back(TaskEnded{a.container, a.attempt, now_});
  }
  void Answer(const RequestRendezvous& a) {
    plausible_.push_back(RendezvousReported{a.task, a.attempt, RendezvousReported::Step::kRejoining});
  }
  void Answer(const Rejoin& a) {
    plausible_.push_back(RendezvousReported{a.task, a.attempt, RendezvousReported::Step::kJoined});
  }
  void Answer(const AvoidNode&) {}
  void Answer(const StopTask& a) { plausible_.push_back(TaskEnded{a.container, a.attempt, now_}); }
  void Answer(const Record&) {}
  void Answer(const PrepareFinish&) { plausible_.push_back(FinishPrepared{}); }
  void Answer(const FinishJob& a) {
    EXPECT_TRUE(IsFinal(a.state));
    EXPECT_TRUE(job_->finished());
  }

  policy::Random random_;
  Instant now_;
  int calm_ = 2;  // on average, one of this many events is arbitrary; the others are plausible
  bool faultless_ = false;
  bool rejoins_ = false;  // the tasks of the job rejoin from one generation to the next
  std::unique_ptr<Job> job_;
  int next_container_ = 0;
  std::set<ContainerId> held_;
  std::vector<Event> plausible_;  // events that a real backend or executor would send next, or could send again
  std::vector<Event> ends_;       // the ends of running attempts; EndAttempts moves them to plausible_
};

TEST(JobRandom, RandomEventsAreAcceptedAndTheJobEnds) {
  constexpr int kStories = 600, kEvents = 250, kFaultlessEvents = 3000;
  int finished_early = 0;
  for (uint64_t seed = 1; seed <= kStories; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chaos chaos(seed);
    for (int i = 0; i < kEvents; ++i) chaos.SendRandomEvent();
    finished_early += chaos.job().finished();
    chaos.StopFaults();
    for (int i = 0; i < kFaultlessEvents && !chaos.job().finished(); ++i) chaos.SendNextEvent();
    ASSERT_TRUE(chaos.job().finished());
    ASSERT_EQ(chaos.job().NextDeadline(), std::nullopt);
  }
  // The test would prove little if all jobs, or none, ended before StopFaults.
  EXPECT_GT(finished_early, kStories / 20);
  EXPECT_LT(finished_early, kStories);
}

}  // namespace
}  // namespace howdah::core::testing
