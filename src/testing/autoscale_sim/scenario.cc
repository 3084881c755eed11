#include "scenario.h"

#include <chrono>

#include "howdah/base/text.h"

namespace howdah::testing::autoscale_sim {
namespace {

using admission::Resources;
using autoscale::Group;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int64_t kGib = 1024;
constexpr int kLongestArrival = 1800, kLongestJob = 1200;  // seconds

Duration Between(Random& random, int low, int high) {
  return random.Between(Duration(seconds(low)), Duration(seconds(high)));
}

autoscale::Policy DrawPolicy(Random& random) {
  autoscale::Policy policy;
  policy.cooldown = random.Pick<Duration>({seconds(30), minutes(2), minutes(5)});
  policy.drain = random.Pick<Duration>({Duration(0), minutes(2), minutes(15)});
  policy.up_factor = random.Pick<double>({1.0, 1.0, 0.5, 0.1});
  policy.down_factor = random.Pick<double>({1.0, 1.0, 0.5});
  policy.primary.min = random.Between(2, 3);
  policy.primary.max = policy.primary.min + random.Between(0, 8);
  if (random.Chance(0.6)) {
    policy.secondary.min = random.Chance(0.2) ? 1 : 0;
    policy.secondary.max = policy.secondary.min + random.Between(1, 8);
  }
  if (random.Chance(0.5)) policy.primary.weight = random.Between(1, 3);
  if (random.Chance(0.5)) policy.secondary.weight = random.Between(1, 3);
  return policy;
}

autoscale::Provider DrawProvider(Random& random, const autoscale::Policy& policy) {
  autoscale::Provider provider;
  const Resources size{12 * kGib, 4, 0, {}};
  provider.primary =
      autoscale::NodeGroup{.hosts = "w-[0-9]+", .node = autoscale::NodeShape{size, ""}, .join = minutes(5)};
  if (policy.secondary.max > 0) {
    autoscale::NodeShape shape{size, ""};
    if (random.Chance(0.3)) shape = {{16 * kGib, 8, 2, {}}, kGpuLabel};
    provider.secondary = autoscale::NodeGroup{.hosts = "sw-[0-9]+",
                                              .node = shape,
                                              .cost = random.Chance(0.5) ? 0.3 : 2,
                                              .join = minutes(5),
                                              .preemptible = true};
  }
  provider.list = provider.add = provider.remove = "simulated";
  if (random.Chance(0.3)) provider.before_remove = "simulated";
  provider.timeout = minutes(1);
  provider.exclude.path = random.Chance(0.5) ? "exclude.xml" : "exclude";
  provider.cores = random.Chance(0.5);
  return provider;
}

// Draws a gang that fits on the largest cluster when that is empty, beside its AM.
SimJob DrawJob(Random& random, const Scenario& scenario, int number) {
  SimJob job;
  job.id = "job" + std::to_string(number);
  job.submitted = Between(random, 0, kLongestArrival);
  job.length = Between(random, 10, kLongestJob);
  const bool has_label = scenario.provider.secondary && !scenario.provider.secondary->node->label.empty();
  if (has_label && random.Chance(0.3)) {
    job.label = kGpuLabel;
    job.tasks = {{random.Between(1, scenario.policy.secondary.max), {4 * kGib, 2, 1, {}}}};
    return job;
  }
  job.foreign = random.Chance(0.15);
  const int nodes = scenario.policy.primary.max + (has_label ? 0 : scenario.policy.secondary.max);
  // Three tasks of 4 GiB fit on a node, or two beside an AM.
  job.tasks = {{random.Between(1, std::max(1, 3 * nodes - 2)), {random.Between(1, 4) * kGib, 1, 0, {}}}};
  if (random.Chance(0.05)) {
    job.too_large = true;
    job.foreign = false;
    job.tasks = {{nodes + 1, {8 * kGib, 1, 0, {}}}};
  }
  return job;
}

Faults DrawFaults(Random& random) {
  Faults faults;
  const auto sometimes = [&](double chance) { return random.Chance(0.4) ? chance : 0; };
  faults.order_fails = sometimes(0.3);
  faults.order_without_answer = sometimes(0.2);
  faults.fatal = sometimes(0.02);
  faults.never_joins = sometimes(0.1);
  faults.more_than_ordered = sometimes(0.1);
  faults.list_fails = sometimes(0.1);
  faults.list_is_old = sometimes(0.2);
  faults.exclude_fails = sometimes(0.3);
  faults.killed = sometimes(0.01);
  faults.rm_restarts = sometimes(0.05);
  faults.machine_gone = sometimes(0.02);
  if (random.Chance(0.2)) faults.quota = random.Between(0, 2);
  return faults;
}

}  // namespace

Scenario DrawScenario(Random& random) {
  Scenario scenario;
  scenario.mode = random.Chance(0.7) ? autoscale::Mode::kGangs : autoscale::Mode::kDataproc;
  scenario.policy = DrawPolicy(random);
  scenario.provider = DrawProvider(random, scenario.policy);
  const int jobs = random.Between(1, 15);
  for (int i = 0; i < jobs; ++i) scenario.jobs.push_back(DrawJob(random, scenario, i));
  if (random.Chance(0.8)) scenario.faults = DrawFaults(random);
  return scenario;
}

std::string Scenario::Text() const {
  std::string text = mode == autoscale::Mode::kGangs ? "gangs" : "dataproc";
  text += ", " + std::to_string(LeastTotal(policy)) + " to " + CountOf(MostTotal(policy), "node") + ", " +
          CountOf(static_cast<int64_t>(jobs.size()), "job") + ", " + (provider.exclude.is_xml() ? "XML" : "plain file");
  if (faults.quota < 1'000'000) text += ", quota of " + std::to_string(faults.quota);
  if (faults.killed > 0) text += ", a dying autoscaler";
  return text;
}

}  // namespace howdah::testing::autoscale_sim
