#include "howdah/testing/autoscale_sim/run_seed.h"

#include <algorithm>
#include <chrono>

#include "cluster.h"
#include "process.h"
#include "provider.h"
#include "world.h"

namespace howdah::testing::autoscale_sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// No fault occurs after this time.
constexpr Duration kFaultsLast = minutes(30);
// Every job ends within this time after the last fault, and the cluster is small again.
constexpr Duration kEndsWithin = hours(6);
// Every order has an answer within this time.
constexpr Duration kAnswersWithin = minutes(2);

class Simulation {
 public:
  explicit Simulation(World& world)
      : world_(world), cluster_(world), provider_(world, cluster_), process_(world, cluster_, provider_) {}

  void Run() {
    provider_.Begin();
    process_.Begin();
    Tick();
    const Instant limit = world_.faults_end + kEndsWithin;
    while (!world_.violation && !IsDone() && world_.schedule.now() < limit && world_.schedule.RunOne()) {
    }
    // The Dataproc mode does not see the shapes of gangs, and counts gangs that can never start.
    if (world_.violation || IsDone() || world_.scenario.mode == autoscale::Mode::kDataproc) return;
    world_.Violate(
        cluster_.done() ? "The cluster becomes small once nothing runs"
                        : "Every gang that fits starts once faults have stopped",
        cluster_.Describe() + ", " + std::to_string(provider_.existing()) + " machines: " + process_.Describe());
  }
  int jobs() const { return cluster_.ended(); }
  int steps() const { return process_.steps(); }

 private:
  // The smallest size, and nothing on its way. A part of few superfluous nodes is less than one node.
  bool IsDone() const {
    const int superfluous = provider_.existing() - LeastTotal(world_.scenario.policy);
    return world_.schedule.now() > world_.faults_end && cluster_.done() && process_.quiet() && superfluous >= 0 &&
           superfluous * world_.scenario.policy.down_factor < 1;
  }

  void Tick() {
    cluster_.Tick();
    provider_.Tick();
    if (world_.Fault(world_.faults().rm_restarts / 60)) cluster_.Restart(world_.Between(2, 40));
    if (process_.has_disabled_group()) ResumeOrViolate();
    if (world_.scenario.policy.secondary.max > 0 && provider_.CountOf(autoscale::Group::kSecondary) > 0) {
      world_.Reach(Situation::kOtherGroupUsed);
    }
    world_.schedule.After(seconds(1), [this] { Tick(); });
  }

  // The user resumes the autoscaler once faults have stopped and it runs. Orders that were given before may still fail.
  void ResumeOrViolate() {
    if (world_.schedule.now() < world_.faults_end) return;
    if (world_.schedule.now() > std::max(world_.faults_end, process_.started()) + kAnswersWithin) {
      world_.Violate("No group is disabled once faults have stopped", process_.Describe());
    }
    process_.Resume();
  }

  World& world_;
  SimCluster cluster_;
  SimProvider provider_;
  Process process_;
};

}  // namespace

SeedResult RunSeed(uint64_t seed, const TraceSink& trace) {
  Random random(seed);
  World world{.schedule = {},
              .random = Random(random.Next()),
              .scenario = DrawScenario(random),
              .faults_end = {},
              .trace = trace,
              .coverage = {},
              .violation = {}};
  world.faults_end = world.schedule.now() + kFaultsLast;
  SeedResult result;
  result.scenario = world.scenario.Text();
  Simulation simulation(world);
  simulation.Run();
  result.violation = world.violation;
  result.digest = world.digest;
  result.coverage = world.coverage;
  result.jobs = simulation.jobs();
  result.steps = simulation.steps();
  return result;
}

}  // namespace howdah::testing::autoscale_sim
