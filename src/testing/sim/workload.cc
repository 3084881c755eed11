#include "howdah/testing/sim/workload.h"

#include <string>
#include <utility>

namespace howdah::testing::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Builds a workload role by role, so that each function below reads like a job file.
class Maker {
 public:
  Maker(Random& random, core::FrameworkRules rules = {}) : random_(random) {
    workload_.rules = std::move(rules);
    jobspec::JobSpec& spec = workload_.spec;
    spec.start = random.Chance(0.75) ? jobspec::StartMode::kGang : jobspec::StartMode::kFree;
    spec.restart_max = random.Chance(0.3) ? random.Between(1, 2) : 0;
    spec.checkpoint.grace = random.Pick<Duration>({milliseconds(0), seconds(1), seconds(10)});
    spec.timeouts.gang = random.Pick<Duration>({minutes(2), minutes(15)});
    spec.timeouts.hold = random.Pick<Duration>({seconds(2), seconds(10)});
    spec.timeouts.register_ = random.Pick<Duration>({seconds(30), minutes(5)});
    spec.timeouts.heartbeat = random.Pick<Duration>({seconds(10), seconds(25)});
    if (random.Chance(0.15)) spec.timeouts.run = random.Between(Duration(seconds(5)), Duration(minutes(2)));
  }

  jobspec::RoleSpec& Role(std::string name, int instances, Behaviour behaviour, bool together = false) {
    jobspec::RoleSpec role;
    role.name = std::move(name);
    role.instances = {instances, instances};
    role.memory_bytes = int64_t{1} << 30;
    role.command.shell = "true";
    role.restart.max = random_.Chance(0.5) ? random_.Between(1, 3) : 0;
    role.restart.backoff = random_.Pick<Duration>({milliseconds(0), milliseconds(500), seconds(5)});
    workload_.spec.roles.push_back(std::move(role));
    workload_.behaviour.push_back(behaviour);
    workload_.rules.restarts_together.push_back(together);
    return workload_.spec.roles.back();
  }
  jobspec::RoleSpec& Chief(Behaviour behaviour, bool together = false) {
    jobspec::RoleSpec& role = Role("chief", 1, behaviour, together);
    role.chief = true;
    return role;
  }
  jobspec::RoleSpec& Service(std::string name, int instances, double fails) {
    jobspec::RoleSpec& role = Role(std::move(name), instances, {.endless = true, .fails = fails, .ignores_stop = 0.2});
    role.kind = jobspec::RoleKind::kService;
    return role;
  }
  jobspec::RoleSpec& Sidecar(std::string name, Behaviour behaviour) {
    jobspec::RoleSpec& role = Role(std::move(name), 1, behaviour);
    role.kind = jobspec::RoleKind::kSidecar;
    return role;
  }
  void ChiefCoordinates() {
    for (const jobspec::RoleSpec& role : workload_.spec.roles) workload_.rules.coordinators.push_back(role.chief);
    workload_.spec.checkpoint.dir = "checkpoints";
  }
  void NeedsWholeCluster() { workload_.rules.needs_whole_cluster = true; }
  void FirstRankDecides() { workload_.rules.first_rank_decides = true; }
  Maker& Collective() {
    workload_.collective = true;
    return *this;
  }
  void Rejoins() { workload_.rejoins = true; }
  jobspec::JobSpec& spec() { return workload_.spec; }
  Workload Done() { return std::move(workload_); }

 private:
  Random& random_;
  Workload workload_;
};

Workload PlainWorkers(Random& random) {
  Maker make(random);
  make.Role("worker", random.Between(1, 6), {.fails = 0.12, .start_fails = 0.02, .ignores_stop = 0.1});
  if (random.Chance(0.3)) make.Role("loader", random.Between(1, 2), {.fails = 0.1});
  return make.Done();
}

Workload PsAndChief(Random& random) {
  Maker make(random, {.needs_whole_cluster = true});
  make.Service("ps", random.Between(1, 2), 0.05);
  make.Chief({.shortest = seconds(1), .fails = 0.1, .ignores_stop = 0.1});
  make.ChiefCoordinates();
  jobspec::RoleSpec& worker = make.Role("worker", random.Between(1, 4), {.endless = random.Chance(0.5), .fails = 0.15});
  if (random.Chance(0.3)) worker.instances.min = 1;
  return make.Done();
}

Workload RankedDdp(Random& random) {
  Maker make(random, {.needs_whole_cluster = true});
  make.Collective();
  const Behaviour rank{.shortest = seconds(1), .fails = 0.2, .start_fails = 0.01, .ignores_stop = 0.1};
  if (random.Chance(0.3)) make.Chief(rank, true);
  make.Role("worker", random.Between(2, 5), rank, true).processes = random.Pick<int>({1, 1, 2, 4});
  if (random.Chance(0.2)) make.FirstRankDecides();
  return make.Done();
}

Workload ServicesAndSidecars(Random& random) {
  Maker make(random);
  make.Role("worker", random.Between(1, 4), {.fails = 0.08});
  make.Service("store", random.Between(1, 2), random.Chance(0.3) ? 0.4 : 0.0);
  make.Sidecar("evaluator", {.endless = random.Chance(0.5), .fails = 0.4, .start_fails = 0.1, .ignores_stop = 0.2});
  return make.Done();
}

Workload Elastic(Random& random) {
  const bool together = random.Chance(0.4);
  Maker make(random);
  if (together) make.Collective();
  const int least = random.Between(1, 2);
  make.Role("worker", 1, {.shortest = seconds(5), .longest = seconds(60), .fails = 0.1}, together).instances = {
      least, least + random.Between(1, 4)};
  if (random.Chance(0.4)) make.Service("store", 1, 0.02);
  if (together && random.Chance(0.5)) make.NeedsWholeCluster();
  make.spec().timeouts.replacement = random.Pick<Duration>({seconds(2), minutes(1)});
  make.spec().timeouts.settle = random.Pick<Duration>({seconds(0), seconds(5), seconds(30)});
  return make.Done();
}

// Ranked tasks that continue from one generation to the next.
Workload RejoiningRanks(Random& random) {
  Maker make(random, {.needs_whole_cluster = true, .needs_am = true});
  make.Rejoins();
  const Behaviour rank{.shortest = seconds(5), .longest = seconds(60), .fails = 0.2, .ignores_stop = 0.1};
  if (random.Chance(0.2)) make.Role("first", 1, rank, true);
  jobspec::RoleSpec& worker = make.Role("worker", 1, rank, true);
  worker.instances = {random.Between(1, 2), random.Between(3, 5)};
  worker.processes = random.Pick<int>({1, 1, 2});
  make.spec().timeouts.replacement = random.Pick<Duration>({seconds(2), minutes(1)});
  make.spec().timeouts.settle = random.Pick<Duration>({seconds(0), seconds(5), seconds(30)});
  return make.Done();
}

Workload Tolerate(Random& random) {
  Maker make(random);
  make.Role("worker", random.Between(2, 6), {.fails = random.Pick<double>({0.3, 1.0}), .start_fails = 0.05})
      .on_failure = jobspec::OnFailure::kTolerate;
  if (random.Chance(0.4)) make.Role("merge", 1, {.fails = 0.05});
  return make.Done();
}

Workload Ignore(Random& random) {
  Maker make(random);
  if (random.Chance(0.5)) {
    jobspec::RoleSpec& setup = make.Role("prepare", 1, {.longest = seconds(5), .fails = 0.1});
    setup.kind = jobspec::RoleKind::kSetup;
  }
  make.Role("worker", random.Between(2, 5), {.fails = random.Pick<double>({0.3, 0.8}), .start_fails = 0.05})
      .on_failure = random.Pick<jobspec::OnFailure>({jobspec::OnFailure::kIgnore, jobspec::OnFailure::kIgnoreOthers});
  if (random.Chance(0.4)) make.Role("merge", 1, {.fails = 0.05});
  return make.Done();
}

Workload Limits(Random& random) {
  using Then = jobspec::Outlive::Then;
  Maker make(random);
  make.Role("head", random.Between(1, 2), {.longest = seconds(10), .fails = 0.05});
  make.Role("worker", random.Between(1, 3), {.endless = random.Chance(0.5), .fails = 0.1, .ignores_stop = 0.2})
      .outlive = jobspec::Outlive{{"head"},
                                  random.Between(Duration(seconds(1)), Duration(seconds(10))),
                                  random.Pick<Then>({Then::kFail, Then::kIgnore, Then::kService})};
  jobspec::RoleSpec& loader =
      make.Role("loader", random.Between(1, 2), {.endless = random.Chance(0.5), .ignores_stop = 0.2});
  loader.timeout = random.Between(Duration(seconds(2)), Duration(seconds(15)));
  loader.on_failure = random.Pick<jobspec::OnFailure>({jobspec::OnFailure::kFail, jobspec::OnFailure::kTolerate});
  return make.Done();
}

Workload DagOfAfter(Random& random) {
  Maker make(random);
  make.Role("fetch", random.Between(1, 3), {.longest = seconds(5), .fails = 0.05});
  make.Service("store", 1, 0.02);
  make.Role("train", random.Between(1, 3), {.fails = 0.08}).after = {{"fetch", random.Chance(0.5)}, {"store", false}};
  make.Role("report", 1, {.longest = seconds(2), .fails = 0.05}).after = {{"train", true}};
  return make.Done();
}

// A worker that never ends by itself: only a limit or a user ends it.
Workload Endless(Random& random) {
  Maker make(random);
  make.Role("worker", random.Between(1, 3), {.endless = true, .ignores_stop = 0.4, .saves = 0.4, .hangs = 0.4},
            random.Chance(0.5));
  make.spec().timeouts.progress = random.Between(Duration(seconds(2)), Duration(seconds(20)));
  make.spec().timeouts.run = random.Between(Duration(seconds(2)), Duration(minutes(1)));
  return make.Done();
}

}  // namespace

void AddRules(Workload& workload, Random random) {
  using Then = jobspec::RestartRule::Then;
  if (!random.Chance(0.2)) return;
  for (size_t r = 0; r < workload.spec.roles.size(); ++r) {
    jobspec::RoleSpec& role = workload.spec.roles[r];
    // A role that always fails and restarts without limit would hold its containers permanently, so it gets no rules.
    if (role.processes > 1 || workload.behaviour[r].fails >= 1 || random.Chance(0.3)) continue;
    const std::vector<Then> all = {Then::kFail, Then::kRestart, Then::kRestartFree, Then::kElsewhere};
    role.restart.rules = {{.log = "it", .exit = {}, .signal = {}, .then = random.Pick(all)}};
    workload.behaviour[r].ruled = 0.5;
    workload.behaviour[r].node_fails = 0.2;
  }
}

void AddReadiness(Workload& workload, Random random) {
  for (jobspec::RoleSpec& role : workload.spec.roles) {
    for (jobspec::After& after : role.after) {
      if (after.finished || random.Chance(0.5)) continue;
      after.ready = true;
      for (jobspec::RoleSpec& other : workload.spec.roles) {
        if (other.name == after.role) other.ready = jobspec::Ready{.port = "80"};
      }
    }
  }
}

const std::vector<WorkloadKind>& WorkloadKinds() {
  static const std::vector<WorkloadKind> kinds = {
      {"plain workers", PlainWorkers},
      {"ps and chief", PsAndChief},
      {"ranked ddp", RankedDdp},
      {"services and sidecars", ServicesAndSidecars},
      {"elastic", Elastic},
      {"rejoining ranks", RejoiningRanks},
      {"tolerate", Tolerate},
      {"ignore", Ignore},
      {"limits", Limits},
      {"dag of after", DagOfAfter},
      {"endless", Endless},
  };
  return kinds;
}

}  // namespace howdah::testing::sim
