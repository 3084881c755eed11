#include "howdah/testing/feed_sim/run_seed.h"

#include <memory>
#include <type_traits>
#include <variant>

#include "am.h"
#include "checker.h"
#include "source.h"
#include "training.h"
#include "world.h"

namespace howdah::testing::feed_sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// No fault occurs after this time.
constexpr Duration kFaultsLast = seconds(20);
// Every feed ends within this time after the last fault.
constexpr Duration kEndsWithin = minutes(30);

class Simulation : public SimAm::Peers {
 public:
  explicit Simulation(World& world)
      : world_(world),
        checker_(world),
        am_(world, checker_, *this),
        training_(world, am_, checker_),
        source_(world, am_, training_) {}

  void Run() {
    training_.Begin();
    source_.Begin();
    const Instant limit = world_.faults_end + kEndsWithin;
    while (!world_.violation && !Done() && world_.schedule.now() < limit && world_.schedule.RunOne()) {
    }
    if (!world_.violation && !Done()) {
      world_.Violate("Every pass ends once faults have stopped",
                     training_.Describe() + (source_.busy() ? ", and the source is busy" : ""));
    }
  }
  int events() const { return am_.events(); }

  // SimAm::Peers
  void Perform(const feed::Action& action) override {
    std::visit(
        [&](const auto& order) {
          if constexpr (requires { order.reader; }) {
            training_.Receive(order.reader, action);
          } else if constexpr (std::is_same_v<std::decay_t<decltype(order)>, feed::RequestRows>) {
            world_.Send([this, action] { source_.Receive(action); }, [this] { source_.Reconnect(); });
          } else {
            training_.ReceiveAll(action);
            world_.schedule.After(world_.Latency(), [this, action] { source_.Receive(action); });
          }
        },
        action);
  }
  void Reconnect() override {
    training_.Reconnect();
    source_.Reconnect();
  }
  void AskAgain() override { source_.AskAgain(); }
  void Fail(int rank) override { training_.ProcessDies(rank); }

 private:
  bool Done() const { return training_.IsOver(source_.busy()); }

  World& world_;
  Checker checker_;
  SimAm am_;
  Training training_;
  Source source_;
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
  result.events = simulation.events();
  return result;
}

}  // namespace howdah::testing::feed_sim
