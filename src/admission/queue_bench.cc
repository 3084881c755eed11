// Benchmark: one look at the queue of a large cluster.
#include <benchmark/benchmark.h>

#include <string>

#include "howdah/admission/queue.h"

namespace howdah::admission {
namespace {

constexpr Instant kNow{std::chrono::hours(400'000)};

// A full cluster with a running job on every tenth node, and waiting gangs of 4 tasks. Each node has some free room.
Cluster Busy(int64_t nodes, int64_t waiting, bool limited) {
  Cluster cluster;
  const Resources total{240 * 1024, 64, 4, {}}, free{20 * 1024, 20, 0, {}};
  for (int64_t i = 0; i < nodes; ++i) cluster.nodes.push_back({"node" + std::to_string(i) + ":45454", total, free});
  const auto add = [&](int64_t number) -> Job& {
    Job& job = cluster.jobs.emplace_back();
    job.id = "application_1764000000000_" + std::to_string(100'000 + number);
    job.queue = "ml";
    job.submitted = kNow - std::chrono::seconds(waiting + nodes - number);
    if (limited) job.demand.run = std::chrono::minutes(20 + number % 50);
    return job;
  };
  for (int64_t i = 0; i < nodes; i += 10) {
    Job& job = add(i / 10);
    job.complete = kNow - std::chrono::minutes(10);
    job.held[cluster.nodes[static_cast<size_t>(i)].name] = total - free;
  }
  for (int64_t i = 0; i < waiting; ++i) {
    Job& job = add(nodes + i);
    job.demand.tasks = {{4, {(8 + i % 100) * 1024, 4, i % 5, {}}}};
    job.am = AmContainer{cluster.nodes[static_cast<size_t>(i % nodes)].name, {1024, 1, 0, {}}};
  }
  return cluster;
}

void BM_Look(benchmark::State& state) {
  const Cluster cluster = Busy(state.range(0), state.range(1), state.range(2) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(Order(cluster, kNow));
}
BENCHMARK(BM_Look)
    ->Args({100, 20, 0})
    ->Args({10'000, 1'000, 0})
    ->Args({10'000, 1'000, 1})
    ->ArgNames({"nodes", "waiting", "limits"})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace howdah::admission
