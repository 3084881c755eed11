#include "howdah/testing/sim/run_seed.h"

#include <memory>
#include <vector>

#include "backend.h"
#include "howdah/testing/sim/workload.h"
#include "sim_job.h"
#include "world.h"

namespace howdah::testing::sim {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

// No fault occurs after this time.
constexpr Duration kFaultsLast = seconds(90);
// Every job ends within this time after the last fault. It covers the longest gang and registration limits, all restart
// budgets with their back-offs, and the longest run of a process.
constexpr Duration kEndsWithin = hours(2);

// The maximum number of containers of a job.
int Need(const Workload& workload) {
  int need = 0;
  for (const jobspec::RoleSpec& role : workload.spec.roles) need += role.instances.max;
  return need;
}

// Whether the job requests all its containers at once.
bool IsOneGang(const jobspec::JobSpec& spec) {
  return spec.start == jobspec::StartMode::kGang &&
         std::none_of(spec.roles.begin(), spec.roles.end(), [](const auto& role) {
           return role.kind == jobspec::RoleKind::kSetup ||
                  std::any_of(role.after.begin(), role.after.end(), [](const auto& after) { return after.finished; });
         });
}

// Draws a backend with room for the larger job, but hardly for two jobs. Exception: if some job does not request all
// its containers at once, it keeps containers while it waits for more. Two such jobs could block each other, so the
// backend has room for all jobs.
SimBackend::Shape DrawShape(Random& random, const std::vector<Workload>& workloads) {
  int largest = 0, all = 0;
  bool gangs_only = true;
  for (const Workload& workload : workloads) {
    largest = std::max(largest, Need(workload));
    all += Need(workload);
    gangs_only = gangs_only && IsOneGang(workload.spec);
  }
  const int need = gangs_only ? largest : all;
  const bool tight = workloads.size() > 1 || random.Chance(0.3);
  const int slots = tight ? need : need + random.Between(1, 6);
  SimBackend::Shape shape;
  shape.nodes = std::min(slots, random.Between(1, 4));
  shape.slots = (slots + shape.nodes - 1) / shape.nodes;
  shape.grants_together = random.Chance(0.4);
  return shape;
}

void RunToTheEnd(World& world, const std::vector<std::unique_ptr<SimJob>>& jobs) {
  const auto all_ended = [&jobs] {
    for (const auto& job : jobs) {
      if (!job->ended()) return false;
    }
    return true;
  };
  const Instant limit = world.faults_end + kEndsWithin;
  while (!world.violation && world.schedule.RunOne()) {
    if (world.schedule.now() > limit && !all_ended()) break;
  }
  for (const auto& job : jobs) {
    if (!job->ended()) world.Violate("Every job ends once faults have stopped", job->Describe());
  }
}

}  // namespace

SeedResult RunSeed(uint64_t seed, const TraceSink& trace) {
  Random random(seed);
  const Faults& faults = random.Pick(FaultProfiles());
  World world{.schedule = {},
              .random = Random(random.Next()),
              .faults = faults,
              .faults_end = {},
              .trace = trace,
              .coverage = {},
              .violation = {}};
  world.faults_end = world.schedule.now() + kFaultsLast;

  std::vector<Workload> workloads;
  SeedResult result;
  result.jobs = random.Chance(0.2) ? 2 : 1;
  for (int i = 0; i < result.jobs; ++i) {
    const WorkloadKind& kind = random.Pick(WorkloadKinds());
    workloads.push_back(kind.make(random));
    workloads.back().name = kind.name;
    AddRules(workloads.back(), Random(seed + static_cast<uint64_t>(i)));
    AddReadiness(workloads.back(), Random(seed + static_cast<uint64_t>(i)));
    result.scenario += std::string(workloads.back().name) + ", ";
  }
  result.scenario += faults.name;

  SimBackend backend(world, DrawShape(random, workloads));
  std::vector<std::unique_ptr<SimJob>> jobs;
  std::vector<BackendClient*> clients;
  for (size_t i = 0; i < workloads.size(); ++i) {
    jobs.push_back(std::make_unique<SimJob>(world, backend, workloads[i], "job" + std::to_string(i)));
    clients.push_back(jobs.back().get());
  }
  backend.Begin(clients);
  for (const auto& job : jobs) job->Begin();
  RunToTheEnd(world, jobs);

  bool both_started = jobs.size() > 1;
  for (const auto& job : jobs) {
    result.digest = result.digest * 31 + job->digest();
    result.steps += job->steps();
    both_started = both_started && job->anything_started();
  }
  if (both_started) world.Reach(Situation::kTwoJobsShared);
  result.coverage = world.coverage;
  result.violation = world.violation;
  return result;
}

}  // namespace howdah::testing::sim
