#include "sim_job.h"

#include <algorithm>
#include <utility>

#include "text.h"

namespace howdah::testing::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// The tokens of some jobs end while they run. Uses a separate random generator, so that other decisions of the seed
// are unchanged.
std::optional<core::TokensIssued> TokensOf(uint64_t seed, Instant submitted) {
  Random random(seed + 4);
  if (!random.Chance(0.3)) return std::nullopt;
  return core::TokensIssued{submitted + random.Between(Duration(seconds(5)), Duration(seconds(200))),
                            core::kRenewedByRm};
}

// How long the executor of a container stores files before it exits. Uses a separate random generator, so that other
// decisions of the seed are unchanged.
Duration TimeToStore(uint64_t seed, size_t container) {
  Random random(seed + 1000 + container);
  return random.Chance(0.3) ? random.Between(Duration(0), Duration(seconds(60))) : Duration(0);
}

}  // namespace

SimJob::SimJob(World& world, SimBackend& backend, Workload workload, std::string name)
    : world_(world),
      backend_(backend),
      workload_(std::move(workload)),
      name_(std::move(name)),
      truth_(world_, workload_),
      checker_(std::in_place, world_, workload_, truth_),
      rendezvous_(world_, truth_, [this](const core::Event& event) { Deliver(event); }),
      submitted_(world_.schedule.now()),
      seed_(world_.random.Next()),
      am_(NewAm()) {
  disk_.hardware = HardwareCheck(submitted_);
  // Uses a separate random generator, so that seeds without this fault are unchanged.
  disk_.loses_finish = world_.faults.orders_lost > 0 && Random(seed_ + 2).Chance(0.2);
}

std::unique_ptr<SimAm> SimJob::NewAm() {
  return std::make_unique<SimAm>(world_, workload_, name_, submitted_, seed_, disk_, *this);
}

void SimJob::Begin() {
  world_.schedule.After(world_.random.Between(Duration(0), Duration(milliseconds(500))), [this] {
    Deliver(core::AmStarted{"node0", 0});
    if (const auto am = AmContainerOf(name_, seed_, 0, AmNow())) Deliver(*am);
    if (const auto tokens = TokensOf(seed_, submitted_)) Deliver(*tokens);
  });
  PlanUserRequests();
  PlanClock();
  if (const auto when = world_.FaultWithin(world_.faults.am_dies, seconds(40))) {
    world_.schedule.After(*when, [this] { AmDies(); });
  }
  for (int i = 0; i < 4; ++i) {
    if (const auto when = world_.FaultWithin(world_.faults.am_replaced, seconds(40))) {
      world_.schedule.After(*when, [this] { ReplaceAm(); });
    }
  }
  PlanLossOfTail();
}

// --- users and clocks ---

void SimJob::PlanUserRequests() {
  const Faults& faults = world_.faults;
  if (const auto when = world_.FaultWithin(faults.stop_requested, seconds(40))) {
    const Duration first = world_.random.Chance(0.3) ? *when / 40 : *when;
    world_.schedule.After(first, [this] { Send(core::StopRequested{"ann", std::nullopt}, from_users_); });
    if (world_.random.Chance(0.5)) {
      world_.Reach(Situation::kStoppedTwice);
      world_.schedule.After(first + world_.random.Between(Duration(0), Duration(seconds(5))), [this] {
        Send(core::StopRequested{"ann, again", Duration(0)}, from_users_);
      });
    }
  }
  for (int i = 0; i < 4; ++i) {
    if (const auto when = world_.FaultWithin(faults.scale_requested, seconds(60))) {
      const int roles = static_cast<int>(workload_.spec.roles.size());
      const core::ScaleRequested wanted{world_.random.Between(0, roles - 1), world_.random.Between(0, 6), "ann"};
      const jobspec::Instances& limits = workload_.spec.roles[static_cast<size_t>(wanted.role)].instances;
      if (wanted.instances < limits.min || wanted.instances > limits.max) world_.Reach(Situation::kScaleRejected);
      world_.schedule.After(*when, [this, wanted] { Send(wanted, from_users_); });
    }
  }
}

void SimJob::PlanClock() {
  for (int i = 0; i < 4; ++i) {
    if (const auto when = world_.FaultWithin(world_.faults.clock_jumps, seconds(60))) {
      const bool back = world_.random.Chance(0.6);
      world_.Reach(back ? Situation::kClockWentBack : Situation::kClockJumpedForward);
      const Duration by = back ? -world_.random.Between(Duration(1), Duration(seconds(20)))
                               : world_.random.Between(Duration(1), Duration(seconds(60)));
      world_.schedule.After(*when, [this, by] {
        skew_ += by;
        alarm_at_.reset();
        if (!ended()) OnDeadline(am_->job().NextDeadline());
      });
    }
  }
}

// --- the AM's loop ---

void SimJob::Send(const core::Event& event, Channel& channel) {
  world_.schedule.At(channel.Arrival(world_.schedule.now(), world_.Latency()), [this, event] { Deliver(event); });
}

void SimJob::Deliver(const core::Event& event) {
  if (am_dead_ || world_.violation) return;
  if (ended()) world_.Reach(Situation::kEventAfterFinish);
  if (world_.trace) {
    world_.trace(FormatInstant(world_.schedule.now()) + " " + name_ + " <- " + ToText(workload_.spec, event));
  }
  ++steps_;
  checker_->Received(event);
  if (std::exchange(delivering_, true)) return am_->Deliver(event);
  am_->Deliver(event);
  delivering_ = false;
  if (world_.violation) return;
  am_->job().CheckInvariants();
  checker_->Stepped(am_->job());
  if (!am_->died() || ended()) return;
  world_.Reach(Situation::kOrdersLost);
  ReplaceAm();
}

void SimJob::OnOrdered(const core::Action& action) {
  digest_.Add(world_.schedule.now(), action);
  checker_->Ordered(action);
}

// Kills the AM, and lets another AM resume from its disk. Messages in flight reach the new AM, because executors repeat
// messages that may not have arrived.
void SimJob::ReplaceAm() {
  if (ended() || world_.violation || disk_.event_log.empty()) return;
  world_.Reach(Situation::kAmReplaced);
  am_ = NewAm();
  am_->Resume();
  if (world_.violation) return;
  rendezvous_.Forget();
  backend_.Cancel(this);
  alarm_at_.reset();
  Deliver(core::AmResumed{++am_attempt_, "was killed"});
  if (const auto am = AmContainerOf(name_, seed_, am_attempt_, AmNow())) Deliver(*am);
  if (const auto tokens = TokensOf(seed_, submitted_)) Deliver(*tokens);  // a new AM reports them again
  for (const auto& container : containers_) container->FindAm();
}

// Plans the loss of the AM's node. The files were copied some time before the loss, so the events since the copy are
// lost. Uses a separate random generator, so that seeds without this fault are unchanged.
void SimJob::PlanLossOfTail() {
  Random random(seed_ + 1);
  if (workload_.rejoins || !random.Chance(world_.faults.am_loses_tail)) return;
  const Duration copied = random.Between(Duration(milliseconds(500)), Duration(seconds(40)));
  const Duration lost = copied + random.Between(Duration(0), Duration(seconds(1)));
  world_.schedule.After(copied, [this] {
    if (ended() || disk_.event_log.empty()) return;
    copied_.emplace(
        Copied{*checker_, disk_.hardware, disk_.event_log.size(), disk_.recorded.size(), truth_.received()});
  });
  world_.schedule.After(lost, [this] { ReplaceAmWithLostTail(); });
}

void SimJob::ReplaceAmWithLostTail() {
  if (ended() || world_.violation || !copied_) return;
  std::vector<SimDisk::Logged>& log = disk_.event_log;
  const std::vector<SimDisk::Logged> lost(log.begin() + static_cast<std::ptrdiff_t>(copied_->logged), log.end());
  if (lost.empty()) return;
  world_.Reach(Situation::kAmLostTail);
  if (world_.trace)
    world_.trace(FormatInstant(world_.schedule.now()) + " " + name_ + " lost its event log since " +
                 FormatInstant(log[copied_->logged - 1].logged.at));
  log.resize(copied_->logged);
  disk_.recorded.resize(copied_->recorded);
  disk_.journal = copied_->recorded;
  checker_.emplace(copied_->checker);
  disk_.hardware = copied_->hardware;
  truth_.RestoreReceived(copied_->received);
  truth_.Forget([this](TaskId id) {
    const TaskFacts* task = checker_->facts().Find(id);
    return task ? task->attempt : -1;
  });
  copied_.reset();
  for (const auto& container : containers_) container->LoseAm();
  ReplaceAm();
  if (ended() || world_.violation) return;
  Reconcile(lost);
}

// Sends the messages that the backend and the executors repeat. The backend still has the containers that it granted to
// the previous AM. It reports and then ends the containers that the new AM has not recorded.
void SimJob::Reconcile(const std::vector<SimDisk::Logged>& lost) {
  for (size_t i = 0; i < containers_.size(); ++i) {
    SimContainer& container = *containers_[i];
    if (container.gone() || checker_->facts().Held(container.id())) continue;
    Deliver(core::ContainerGranted{container.id(), -1, "node" + std::to_string(container.node()),
                                   GrantedResources(static_cast<int>(i))});
    container.End({});
  }
  for (const SimDisk::Logged& one : lost) {
    const core::Event& event = one.logged.event;
    if (const auto* exited = std::get_if<core::ContainerExited>(&event)) {
      if (checker_->facts().Held(exited->container)) Send(*exited, from_backend_);
    } else if (std::holds_alternative<core::ScaleRequested>(event) ||
               std::holds_alternative<core::StopRequested>(event)) {
      Send(event, from_users_);
    } else if (std::holds_alternative<core::RequestsRefused>(event)) {
      Send(event, from_backend_);
    }
  }
}

void SimJob::OnDeadline(std::optional<Instant> deadline) {
  if (deadline == alarm_at_) return;
  alarm_at_ = deadline;
  ++alarm_;
  if (!deadline) return;
  const Duration late = world_.random.Between(Duration(0), Duration(milliseconds(2)));
  world_.schedule.At(*deadline - skew_ + late, [this, alarm = alarm_] { OnAlarm(alarm); });
}

void SimJob::OnAlarm(int alarm) {
  if (alarm != alarm_ || ended()) return;
  const std::optional<Instant> deadline = std::exchange(alarm_at_, std::nullopt);
  Deliver(core::Ticked{});
  if (ended()) return;
  idle_alarms_ = am_->job().NextDeadline() == deadline ? idle_alarms_ + 1 : 0;
  if (idle_alarms_ > 100) {
    world_.Violate("After a tick at a deadline the next deadline is later", "still " + FormatInstant(*deadline));
  }
}

// Kills the AM permanently. Only its records remain. Executors detect the death, and end the processes that they
// started.
void SimJob::AmDies() {
  if (ended()) return;
  world_.Reach(Situation::kAmDied);
  am_dead_ = true;
  if (core::IsFinal(checker_->fold().job_state())) {
    world_.Violate("A job whose AM died has no final state",
                   "it has " + std::string(core::ToText(checker_->fold().job_state())));
  }
  AmIsGone();
}

void SimJob::AmIsGone() {
  backend_.Cancel(this);
  for (const auto& container : containers_) {
    world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(3))), [&c = *container] { c.End({}); });
  }
}

std::string SimJob::Describe() const {
  const JournalFold& fold = checker_->fold();
  std::string text = name_ + " is " + std::string(core::ToText(fold.job_state())) + " “" + fold.reason() + "”";
  for (const auto& [key, task] : fold.tasks()) {
    text += ", " + TaskText(key.first, key.second) + " " + std::string(core::ToText(task.state));
  }
  return text;
}

// --- actions ---

void SimJob::OnPerform(const core::Action& action) {
  std::visit([this](const auto& a) { Do(a); }, action);
}

SimContainer* SimJob::Find(const ContainerId& container) {
  for (const auto& c : containers_) {
    if (c->id() == container) return c.get();
  }
  return nullptr;
}

void SimJob::Do(const core::LaunchExecutor& a) { Find(a.container)->Launch(a.task); }
void SimJob::Do(const core::ReleaseContainer& a) { Find(a.container)->Leave(); }
void SimJob::Do(const core::KillContainer& a) { Find(a.container)->Kill(); }
void SimJob::Do(const core::StartTask& a) {
  if (workload_.rejoins) rendezvous_.Start(a, *Find(a.container), RankedTasks());
  Find(a.container)->Start(a.attempt, a.generation);
}
void SimJob::Do(const core::StopTask& a) { Find(a.container)->Stop(a); }
void SimJob::Do(const core::FinishJob&) {
  disk_.finished = true;
  AmIsGone();
}

// Counts ranked tasks of the current peer group.
int SimJob::RankedTasks() const {
  int tasks = 0;
  for (size_t role = 0; role < workload_.spec.roles.size(); ++role) {
    if (workload_.rules.restarts_together[role]) tasks += static_cast<int>(am_->job().peers()[role].size());
  }
  return tasks;
}

// --- the backend and the containers ---

void SimJob::OnGranted(int role, int node) {
  const ContainerId id{name_ + "-c" + std::to_string(containers_.size())};
  containers_.push_back(
      std::make_unique<SimContainer>(world_, *this, id, node, TimeToStore(seed_, containers_.size())));
  SimContainer* container = containers_.back().get();
  const core::ContainerGranted granted{id, role, "node" + std::to_string(node),
                                       GrantedResources(static_cast<int>(containers_.size()))};
  Send(granted, from_backend_);
  if (world_.Fault(world_.faults.grant_twice)) {
    world_.Reach(Situation::kGrantTwice);
    Send(granted, from_backend_);
  }
  if (const auto when = world_.FaultWithin(world_.faults.container_lost, seconds(60))) {
    if (world_.Fault(world_.faults.reclaim_announced)) {
      world_.schedule.After(*when - std::min<Duration>(*when, seconds(5)), [this, container] {
        if (container->gone()) return;
        world_.Reach(Situation::kReclaimAnnounced);
        Send(core::ReclaimAnnounced{container->id(), "it is preempted", /*preempted=*/true}, from_backend_);
      });
    }
    world_.schedule.After(*when, [this, container] {
      if (!container->gone()) world_.Reach(Situation::kContainerLost);
      container->End({.how = "it was preempted", .infrastructure = true, .preempted = true});
    });
  }
  if (ended()) AmIsGone();
}

void SimJob::OnWaiting(const std::string& reason) { Send(core::RequestsDelayed{reason}, from_backend_); }
void SimJob::OnRefused(const std::string& reason) { Send(core::RequestsRefused{reason}, from_backend_); }

void SimJob::OnNodeLost(int node) {
  for (const auto& container : containers_) {
    if (container->node() == node)
      container->End({.how = "its node node" + std::to_string(node) + " was lost", .infrastructure = true});
  }
}

void SimJob::OnGone(SimContainer& container, const Loss& loss) {
  backend_.Free(container.node());
  Send(core::ContainerExited{.container = container.id(),
                             .how = loss.how,
                             .infrastructure = loss.infrastructure,
                             .preempted = loss.preempted},
       from_backend_);
}

void SimJob::OnDied(TaskId task, int generation) {
  const auto ranked = [this](TaskId t) { return workload_.rules.restarts_together[static_cast<size_t>(t.role)]; };
  if (!workload_.collective || !ranked(task)) return;
  for (const auto& container : containers_) container->FailSoon(generation);
}

}  // namespace howdah::testing::sim
