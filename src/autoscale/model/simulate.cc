#include "howdah/autoscale/model/simulate.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "cluster.h"
#include "hours.h"
#include "howdah/base/schedule.h"
#include "machines.h"

namespace howdah::autoscale::model {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kPeriod = seconds(5);  // of the observations
constexpr Duration kAnswer = seconds(1);  // of the provider and the ResourceManager
// The longest simulation, after the last submission, and the longest time until the cluster is small again.
constexpr Duration kLongest = hours(24 * 7), kLongestShrink = hours(2);

Policy BoundedPolicy(Policy policy, const Workload& workload) {
  if (workload.bounds) std::tie(policy.primary.min, policy.primary.max) = *workload.bounds;
  return policy;
}

Provider ProviderOf(const Workload& workload, const Policy& policy) {
  Provider provider;
  const NodeGroup group{.hosts = ".*", .node = workload.node, .join = workload.boot + minutes(10)};
  if (policy.primary.max > 0) provider.primary = group;
  if (policy.secondary.max > 0) provider.secondary = group;
  provider.list = provider.add = provider.remove = "simulated";
  provider.exclude.path = "exclude.xml";
  return provider;
}

State FirstState() {
  State state;
  state.prefix = "simulated";
  return state;
}

class Simulation {
 public:
  Simulation(const Workload& workload, const Policy& policy, Mode mode,
             const std::function<void(const Decision&)>& on_decision)
      : begin_(schedule_.now()),
        policy_(BoundedPolicy(policy, workload)),
        on_decision_(on_decision),
        machines_(workload, schedule_),
        cluster_(workload, machines_, schedule_),
        scaler_(policy_, ProviderOf(workload, policy_), mode, FirstState()) {
    if (!workload.jobs.empty()) limit_ = begin_ + workload.jobs.back().at + kLongest;
  }

  Outcome Run() {
    for (const Group group : kGroups) machines_.Begin(group, policy_.of(group).min);
    Look();
    while (!IsDone() && schedule_.now() < limit_ && schedule_.RunOne()) {
    }
    const Cluster::Result result = cluster_.result();
    return {.jobs = result.unfinished + result.ended,
            .unfinished = result.unfinished,
            .makespan = result.ended > 0 ? cluster_.last_end() - begin_ : Duration(0),
            .node_hours = machines_.NodeHours(),
            .largest = machines_.largest(),
            .mean_wait = result.started > 0 ? result.waits / result.started : Duration(0),
            .longest_wait = result.longest_wait,
            .lost_task_hours = HoursOf(result.lost_work)};
  }

 private:
  bool IsDone() const {
    if (!cluster_.done()) return false;
    return machines_.existing() <= LeastTotal(policy_) || schedule_.now() > cluster_.last_end() + kLongestShrink;
  }

  void Look() {
    Step(MachinesListed{machines_.List()});
    Step(cluster_.Observe());
    schedule_.After(kPeriod, [this] { Look(); });
  }

  void Step(const Fact& fact) {
    for (const autoscale::Order& order : scaler_.Step(fact, schedule_.now())) Perform(order);
  }

  void Answer(Fact fact) {
    schedule_.After(kAnswer, [this, fact = std::move(fact)] { Step(fact); });
  }

  void Perform(const autoscale::Order& order) {
    if (const auto* add = std::get_if<AddMachines>(&order)) {
      machines_.Order(add->group, add->count, [this] { cluster_.OnJoined(); });
      Answer(OrderDone{add->token});
    } else if (const auto* remove = std::get_if<RemoveMachines>(&order)) {
      if (remove->step == RemoveMachines::Step::kRemove) machines_.Delete(remove->machines);
      Answer(OrderDone{remove->token});
    } else if (const auto* exclude = std::get_if<SetExcluded>(&order)) {
      cluster_.Exclude(*exclude);
      Answer(ExcludeDone());
    } else if (const auto* check = std::get_if<CheckNode>(&order)) {
      Answer(NodeChecked{check->host, cluster_.Check(check->host)});
    } else if (const auto* log = std::get_if<LogDecision>(&order); log != nullptr && on_decision_) {
      on_decision_(log->decision);
    }
  }

  Schedule schedule_;
  const Instant begin_;
  Instant limit_ = begin_;
  const Policy policy_;
  const std::function<void(const Decision&)>& on_decision_;
  Machines machines_;
  Cluster cluster_;
  Scaler scaler_;
};

}  // namespace

Outcome Simulate(const Workload& workload, const Policy& policy, Mode mode,
                 const std::function<void(const Decision&)>& on_decision) {
  return Simulation(workload, policy, mode, on_decision).Run();
}

}  // namespace howdah::autoscale::model
