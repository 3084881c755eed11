#include "container.h"

#include <algorithm>
#include <utility>

#include "howdah/base/exit_status.h"
#include "howdah/core/progress.h"

namespace howdah::testing::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {
constexpr int kSigkill = 9;
constexpr int kSigterm = 15;
constexpr char kExecutorKilled[] = "its executor was killed by signal 9 (SIGKILL)";
}  // namespace

SimContainer::SimContainer(World& world, ContainerOwner& owner, ContainerId id, int node, Duration stores)
    : world_(world), owner_(owner), id_(std::move(id)), node_(node), stores_(stores) {}

// --- orders from the AM ---

void SimContainer::Launch(TaskId task) {
  if (task_) return;  // the order is repeated
  task_ = task;
  const Faults& faults = world_.faults;
  Duration delay = world_.random.Between(Duration(milliseconds(10)), Duration(milliseconds(500)));
  if (world_.Fault(faults.launch_slow)) delay += world_.random.Between(Duration(0), Duration(seconds(60)));
  if (world_.Fault(faults.launch_fails)) {
    world_.Reach(Situation::kLaunchFailed);
    world_.schedule.After(delay, [this] { End({.how = "its executor exited with exit code 1 before it registered"}); });
  } else if (world_.Fault(faults.never_registers)) {
    world_.Reach(Situation::kNeverRegistered);
  } else {
    world_.schedule.After(delay, [this] { Register(); });
  }
}

void SimContainer::Start(int attempt, int generation) {
  Command([=, this] { RunAttempt(attempt, generation); });
}

void SimContainer::Stop(const core::StopTask& order) {
  Command([this, order] {
    if (order.probe_first && attempt_ && attempt_->number == order.attempt) return ProbeAttempt(order);
    StopAttempt(order.attempt, order.grace, order.limit);
  });
}

void SimContainer::Leave() {
  Command([this] {
    if (!registered_) return;
    leaving_ = true;
    if (attempt_) attempt_->stopping = true;
    if (world_.random.Chance(0.5)) KillAttempt(serial_);
    world_.schedule.After(world_.random.Between(Duration(milliseconds(1)), Duration(milliseconds(200))), [this] {
      if (gone_ || stores_ == Duration(0)) return End({});
      storing_ = true;
      world_.Reach(Situation::kStored);
      Report(core::ExecutorStoring{id_});
      world_.schedule.After(stores_, [this] { End({}); });
    });
  });
}

void SimContainer::Kill() {
  world_.schedule.After(world_.random.Between(Duration(milliseconds(1)), Duration(milliseconds(500))),
                        [this] { End({.how = world_.random.Chance(0.5) ? kExecutorKilled : ""}); });
}

// --- faults and other events ---

void SimContainer::End(const Loss& loss) {
  if (gone_) return;
  gone_ = true;
  ++serial_;
  if (attempt_) {
    const Attempt died = *std::exchange(attempt_, std::nullopt);
    owner_.truth().Ended(*task_, died.number);
    if (!leaving_) owner_.OnDied(*task_, died.generation);
    owner_.OnBroken(*task_, died.number);
  }
  owner_.OnGone(*this, loss);
}

void SimContainer::FailSoon(int generation) {
  if (!attempt_ || attempt_->generation != generation || attempt_->stopping) return;
  for (size_t rank = 0; rank < attempt_->runs.size(); ++rank) {
    if (!attempt_->runs[rank]) continue;
    // Half of the processes fail so soon that the core may receive the first failure after a later one.
    const Duration soon = world_.random.Chance(0.5) ? Duration(milliseconds(8)) : Duration(seconds(2));
    ExitLater(world_.random.Between(Duration(1), soon), static_cast<int>(rank), {.code = 1}, world_.random.Chance(0.5));
  }
}

bool SimContainer::CanJoin(int attempt) const {
  if (gone_ || silent_ || leaving_ || !attempt_ || attempt_->number != attempt || attempt_->stopping) return false;
  // The processes of an attempt can only join together.
  return std::find(attempt_->runs.begin(), attempt_->runs.end(), false) == attempt_->runs.end();
}

void SimContainer::Rejoin(int generation) {
  attempt_->generation = generation;
  attempt_->waits = false;
}

void SimContainer::LoseAm() {
  ++am_;
  without_am_ = true;
}

void SimContainer::FindAm() {
  world_.schedule.After(world_.random.Between(Duration(milliseconds(1)), Duration(seconds(2))), [this] {
    if (!registered_ || gone_ || silent_ || (leaving_ && !storing_)) return;
    SendRegistration();
    if (am_ == 0) return;
    for (const core::Event& report : reports_) Send(report);
  });
}

// --- the executor ---

void SimContainer::Send(const core::Event& event) {
  if (silent_ || without_am_) return;
  const auto deliver = [this, event, am = am_] {
    if (am == am_) owner_.Deliver(event);
  };
  world_.schedule.At(to_am_.Arrival(world_.schedule.now(), world_.Latency()), deliver);
  if (world_.Fault(world_.faults.message_twice)) {
    world_.Reach(Situation::kMessageTwice);
    world_.schedule.At(to_am_.Arrival(world_.schedule.now(), world_.Latency()), deliver);
  }
}

void SimContainer::Report(const core::Event& event) {
  reports_.push_back(event);
  Send(event);
}

void SimContainer::Command(std::function<void()> what) {
  const auto arrive = [this, am = am_, what = std::move(what)] {
    if (am == am_ && !gone_ && !silent_ && !leaving_) what();
  };
  world_.schedule.At(to_executor_.Arrival(world_.schedule.now(), world_.Latency()), arrive);
}

void SimContainer::Register() {
  if (gone_) return;
  registered_ = true;
  port_ = static_cast<uint16_t>(20000 + world_.random.Between(0, 9999));
  SendRegistration();
  PlanFaults();
  Beat();
}

void SimContainer::SendRegistration() {
  without_am_ = false;
  Send(core::ExecutorRegistered{id_, {"node" + std::to_string(node_), port_}, last_attempt_});
}

void SimContainer::Beat() {
  world_.schedule.After(owner_.workload().spec.timeouts.heartbeat / 4, [this] {
    if (gone_ || silent_ || leaving_) return;
    core::Usage usage;
    usage.memory_bytes = ++beats_;
    Send(core::HeartbeatReceived{id_, usage});
    Beat();
  });
}

void SimContainer::PlanFaults() {
  const Faults& faults = world_.faults;
  const Duration horizon = seconds(30);
  if (const auto when = world_.FaultWithin(faults.executor_killed, horizon)) {
    world_.schedule.After(*when, [this] {
      if (!gone_) world_.Reach(Situation::kExecutorKilled);
      End({.how = kExecutorKilled});
    });
  }
  if (const auto when = world_.FaultWithin(faults.falls_silent, horizon)) {
    world_.schedule.After(*when, [this] {
      if (!gone_) world_.Reach(Situation::kFellSilent);
      silent_ = true;
    });
  }
  if (const auto when = world_.FaultWithin(faults.disconnects, horizon)) {
    world_.schedule.After(*when, [this] { Disconnect(); });
  }
}

// Breaks the connection and re-establishes it a little later. Messages in both directions are delayed until then.
void SimContainer::Disconnect() {
  if (gone_ || silent_ || leaving_) return;
  world_.Reach(Situation::kReconnected);
  Send(core::ExecutorDisconnected{id_});
  const Instant back = world_.schedule.now() + world_.random.Between(Duration(milliseconds(100)), Duration(seconds(5)));
  to_am_.HoldUntil(back);
  to_executor_.HoldUntil(back);
  SendRegistration();
}

// --- the user's processes ---

void SimContainer::RunAttempt(int number, int generation) {
  if (number <= last_attempt_) return;  // the order is repeated
  last_attempt_ = number;
  reports_.clear();
  const jobspec::RoleSpec& role = owner_.workload().spec.roles[static_cast<size_t>(task_->role)];
  const Behaviour& behaviour = owner_.workload().behaviour[static_cast<size_t>(task_->role)];
  owner_.truth().Started(*task_, number, generation);
  const Instant now = world_.schedule.now();
  if (world_.random.Chance(behaviour.start_fails)) {
    world_.Reach(Situation::kStartFailed);
    owner_.truth().Ended(*task_, number);
    owner_.truth().Failed({*task_, number, generation, now, "", false, false});
    Report(core::TaskStartFailed{id_, number, now, 127, {.cause = "python: not found"}});
    return;
  }
  ++serial_;
  attempt_ = Attempt{.number = number,
                     .generation = generation,
                     .runs = std::vector<bool>(static_cast<size_t>(role.processes), true),
                     .ignores_stop = world_.random.Chance(behaviour.ignores_stop)};
  std::vector<int> pids(static_cast<size_t>(role.processes));
  for (int& pid : pids) pid = world_.random.Between(1000, 9999);
  Report(core::TaskStarted{id_, number, std::move(pids), now});
  PlanExits(behaviour);
  if (role.ready) {
    world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(5))), [this, number, serial = serial_] {
      if (serial == serial_ && attempt_) Report(core::TaskServes{id_, number});
    });
  }
  if (owner_.workload().rejoins) {
    world_.schedule.After(world_.random.Between(Duration(milliseconds(10)), Duration(seconds(3))),
                          [this, number, serial = serial_] {
                            if (serial == serial_ && CanJoin(number)) owner_.OnReady(*task_, number);
                          });
  }
  if (behaviour.hangs > 0) StepLater(world_.random.Chance(behaviour.hangs) ? world_.random.Between(0, 10) : -1);
}

// Reports one step per second. left: number of remaining steps; negative: unlimited.
void SimContainer::StepLater(int left) {
  const jobspec::JobSpec& spec = owner_.workload().spec;
  const auto limit = core::ProgressLimit(spec, spec.roles[static_cast<size_t>(task_->role)]);
  if (left == 0 && !limit) return;
  world_.schedule.After(left == 0 ? *limit : Duration(seconds(1)), [this, left, serial = serial_] {
    if (serial != serial_ || !attempt_ || attempt_->stopping) return;
    if (left == 0) return Hang();
    core::TaskProgress& progress = attempt_->progress;
    progress.at = world_.schedule.now();
    progress.step = progress.step.value_or(0) + 1;
    if (*progress.step % 3 == 0) {
      progress.checkpoint = progress.step;
      progress.checkpoint_at = progress.at;
    }
    Send(core::TaskProgressed{id_, attempt_->number, progress});
    StepLater(left - 1);
  });
}

void SimContainer::Hang() {
  const Instant now = world_.schedule.now();
  owner_.truth().Failed(
      {*task_, attempt_->number, GenerationOf(*attempt_), now, "made no progress", false, false, true});
  Report(core::TaskHung{id_, attempt_->number, now, attempt_->progress.at, "progress", "main"});
}

void SimContainer::PlanExits(const Behaviour& behaviour) {
  const int ranks = static_cast<int>(attempt_->runs.size());
  const int failing = world_.random.Chance(behaviour.fails) ? world_.random.Between(0, ranks - 1) : -1;
  for (int rank = 0; rank < ranks; ++rank) {
    const Duration runs_for = world_.random.Between(behaviour.shortest, behaviour.longest);
    if (rank == failing) {
      static const std::vector<int> codes = {1, 2, 7, 137};
      static const std::vector<int> signals = {6, 9, 11};
      ExitLater(runs_for, rank,
                world_.random.Chance(0.5) ? ExitStatus{.code = world_.random.Pick(codes)}
                                          : ExitStatus{.signal = world_.random.Pick(signals)});
    } else if (!behaviour.endless) {
      ExitLater(runs_for, rank, {.code = 0});
    }
  }
}

void SimContainer::ProbeAttempt(const core::StopTask& order) {
  world_.schedule.After(world_.random.Between(Duration(0), core::kProbeLimit), [this, order, serial = serial_] {
    if (serial != serial_ || !attempt_) return;
    Report(core::StackSampled{id_, order.attempt, "load"});
    StopAttempt(order.attempt, order.grace, order.limit);
  });
}

void SimContainer::StopAttempt(int number, Duration grace, Duration limit) {
  if (!attempt_ || attempt_->number != number) {
    // The attempt never started or has already ended: report its end, possibly again.
    last_attempt_ = std::max(last_attempt_, number);
    return Send(core::TaskEnded{id_, number, world_.schedule.now()});
  }
  const Instant now = world_.schedule.now();
  const bool first = !attempt_->kill_at;
  attempt_->stopping = true;
  if (first) attempt_->grace = grace;
  attempt_->kill_at = std::min(attempt_->kill_at.value_or(Instant::max()), now + grace);
  attempt_->kill_by = std::min(first ? Instant::max() : attempt_->kill_by, now + limit);
  const double saves = owner_.workload().behaviour[static_cast<size_t>(task_->role)].saves;
  if (first && saves > 0 && grace > Duration(0) && world_.random.Chance(saves)) {
    SaveLater(world_.random.Between(1, 20));
  } else if (!attempt_->ignores_stop) {
    static const std::vector<ExitStatus> exits = {{.code = 0}, {.code = 143}, {.code = 1}, {.signal = kSigterm}};
    for (size_t rank = 0; rank < attempt_->runs.size(); ++rank) {
      ExitLater(world_.random.Between(Duration(0), Duration(seconds(3))), static_cast<int>(rank),
                world_.random.Pick(exits));
    }
  }
  KillWhenDue();
}

// Requests more time when three quarters of the grace have passed, and exits after the last extension.
void SimContainer::SaveLater(int left) {
  world_.schedule.After(attempt_->grace * 3 / 4, [this, left, serial = serial_] {
    if (serial != serial_ || !attempt_) return;
    if (left == 0) return RankExits(0, {.code = 0});
    const Instant longer = std::min(world_.schedule.now() + attempt_->grace, attempt_->kill_by);
    if (longer > *attempt_->kill_at) world_.Reach(Situation::kGraceExtended);
    if (longer == attempt_->kill_by) world_.Reach(Situation::kLongestGraceOver);
    attempt_->kill_at = std::max(*attempt_->kill_at, longer);
    Send(core::TaskSaving{id_, attempt_->number});
    SaveLater(left - 1);
  });
}

void SimContainer::KillWhenDue() {
  world_.schedule.At(*attempt_->kill_at, [this, serial = serial_] {
    if (serial != serial_ || !attempt_) return;
    if (world_.schedule.now() < *attempt_->kill_at) return KillWhenDue();
    world_.Reach(Situation::kKilledAfterGrace);
    KillAttempt(serial);
  });
}

void SimContainer::KillAttempt(int serial) {
  if (serial != serial_ || !attempt_) return;
  attempt_->stopping = true;
  for (size_t rank = 0; attempt_ && rank < attempt_->runs.size(); ++rank) {
    RankExits(static_cast<int>(rank), {.signal = kSigkill});
  }
}

void SimContainer::ExitLater(Duration delay, int rank, ExitStatus exit, bool consequence) {
  world_.schedule.After(delay, [this, rank, exit, consequence, serial = serial_] {
    if (serial != serial_ || !attempt_) return;
    // A process cannot finish while it waits to rejoin.
    if (attempt_->waits && exit.success()) return ExitLater(seconds(1), rank, exit);
    RankExits(rank, exit, consequence);
  });
}

void SimContainer::RankExits(int rank, ExitStatus exit, bool consequence) {
  if (!attempt_->runs[static_cast<size_t>(rank)]) return;
  attempt_->runs[static_cast<size_t>(rank)] = false;
  const Instant now = world_.schedule.now();
  const int number = attempt_->number, generation = GenerationOf(*attempt_);
  const bool failed = !exit.success() && !attempt_->stopping;
  core::Diagnosis diagnosis{.consequence = failed && consequence};
  if (failed) {
    const Behaviour& behaviour = owner_.workload().behaviour[static_cast<size_t>(task_->role)];
    if (behaviour.ruled > 0 && world_.random.Chance(behaviour.ruled)) diagnosis.rule = 0;
    if (behaviour.node_fails > 0) diagnosis.node_fault = world_.random.Chance(behaviour.node_fails);
    const std::string how = exit.code ? ToText(exit) : SignalName(*exit.signal);
    owner_.truth().Failed(
        {*task_, number, generation, now, how, consequence, IsFinal(owner_.workload(), *task_, diagnosis)});
  }
  Report(core::RankExited{id_, number, rank, exit, now, diagnosis, {}, attempt_->stopping});
  if (std::find(attempt_->runs.begin(), attempt_->runs.end(), true) == attempt_->runs.end()) {
    // Descendants of the processes may run a little longer.
    world_.schedule.After(world_.random.Between(Duration(0), Duration(milliseconds(20))), [this, serial = serial_] {
      if (serial == serial_ && attempt_) AttemptEnds();
    });
  }
  if (failed) owner_.OnDied(*task_, generation);
  if (!exit.success()) owner_.OnBroken(*task_, number);
}

void SimContainer::AttemptEnds() {
  const int number = attempt_->number;
  attempt_.reset();
  owner_.truth().Ended(*task_, number);
  Report(core::TaskEnded{id_, number, world_.schedule.now()});
}

}  // namespace howdah::testing::sim
