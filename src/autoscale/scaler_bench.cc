// One decision of the autoscaler on a cluster of 10,000 nodes with 1,000 waiting gangs.
#include <benchmark/benchmark.h>

#include "howdah/autoscale/scaler.h"

namespace howdah::autoscale {
namespace {

constexpr int kNodes = 10'000, kGangs = 1'000;

Provider LargeProvider() {
  Provider provider;
  provider.primary = NodeGroup{.hosts = ".*", .node = NodeShape{{240 * 1024, 64, 4, {}}, ""}};
  return provider;
}

ClusterSeen LargeCluster() {
  ClusterSeen seen;
  for (int i = 0; i < kNodes; ++i) {
    const std::string host = "w-" + std::to_string(i);
    const int64_t used = i % 4;
    seen.nodes.push_back({.name = host + ":8041",
                          .host = host,
                          .total = {240 * 1024, 64, 4, {}},
                          .used = {used * 55 * 1024, used * 8, used, {}},
                          .containers = static_cast<int>(used)});
  }
  for (int i = 0; i < kGangs; ++i) {
    seen.wanted.push_back({.id = "job" + std::to_string(i),
                           .queue = "ml",
                           .tasks = {{4 + i % 13, {220 * 1024, 16, 4, {}}}, {1, {2048, 1, 0, {}}}}});
  }
  seen.queues[""]["ml"] = {.most = 1, .most_ams = 0.5};
  return seen;
}

void BM_Decision(benchmark::State& state) {
  Policy policy;
  policy.up_factor = policy.down_factor = 1;
  policy.primary = {2, 12'000, std::nullopt};
  Scaler scaler(policy, LargeProvider(), Mode::kGangs, State());
  const ClusterSeen seen = LargeCluster();
  std::vector<Machine> machines;
  for (const NodeReport& node : seen.nodes) machines.push_back({.id = node.host, .host = node.host});
  Instant now(std::chrono::hours(500'000));
  scaler.Step(MachinesListed{machines}, now);
  for ([[maybe_unused]] const auto _ : state) {
    now += std::chrono::seconds(5);
    benchmark::DoNotOptimize(scaler.Step(seen, now));
  }
}
BENCHMARK(BM_Decision)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace howdah::autoscale
