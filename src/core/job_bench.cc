// Benchmark: how many events per second the core processes, for the whole life of a job and for heartbeats.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "howdah/core/job.h"

namespace howdah::core {
namespace {

constexpr Instant kStart = Instant(std::chrono::sys_days(std::chrono::year(2026) / 11 / 21));

jobspec::JobSpec JobOf(int tasks) {
  jobspec::JobSpec spec;
  spec.name = "bench";
  jobspec::RoleSpec role;
  role.name = "worker";
  role.instances = {tasks, tasks};
  spec.roles.push_back(role);
  return spec;
}

std::vector<ContainerId> Containers(int tasks) {
  std::vector<ContainerId> ids;
  for (int i = 0; i < tasks; ++i) ids.push_back({"container_1795244711_0001_01_" + std::to_string(100000 + i)});
  return ids;
}

// Sends events to the job until all tasks run. Returns the number of events.
int64_t BringUp(Job& job, const std::vector<ContainerId>& ids) {
  benchmark::DoNotOptimize(job.Step(AmStarted{"node0", 0}, kStart));
  for (const ContainerId& id : ids)
    benchmark::DoNotOptimize(job.Step(ContainerGranted{id, 0, "node17.example.org"}, kStart));
  for (const ContainerId& id : ids) {
    benchmark::DoNotOptimize(job.Step(ExecutorRegistered{id, {"node17.example.org", 40000}}, kStart));
  }
  for (const ContainerId& id : ids) benchmark::DoNotOptimize(job.Step(TaskStarted{id, 0, {4711}, kStart}, kStart));
  return 1 + 3 * static_cast<int64_t>(ids.size());
}

void BM_Life(benchmark::State& state) {
  const int tasks = static_cast<int>(state.range(0));
  const auto ids = Containers(tasks);
  int64_t events = 0;
  for (auto _ : state) {
    Job job(JobOf(tasks), {{false}, false}, kStart, 1);
    events += BringUp(job, ids);
    const Instant later = kStart + std::chrono::seconds(60);
    for (const ContainerId& id : ids) {
      benchmark::DoNotOptimize(job.Step(RankExited{id, 0, 0, ExitStatus{.code = 0}, later, {}}, later));
      benchmark::DoNotOptimize(job.Step(TaskEnded{id, 0, later}, later));
    }
    for (const ContainerId& id : ids) benchmark::DoNotOptimize(job.Step(ContainerExited{id, ""}, later));
    benchmark::DoNotOptimize(job.Step(FinishPrepared{}, later));
    events += 3 * tasks + 1;
    if (!job.finished()) state.SkipWithError("the job did not finish");
  }
  state.SetItemsProcessed(events);
}
BENCHMARK(BM_Life)->Arg(10)->Arg(1000)->Arg(10000);

// Measures heartbeats, each followed by a query of the next deadline.
void BM_Heartbeats(benchmark::State& state) {
  const int tasks = static_cast<int>(state.range(0));
  const auto ids = Containers(tasks);
  Job job(JobOf(tasks), {{false}, false}, kStart, 1);
  BringUp(job, ids);
  Instant now = kStart;
  int64_t events = 0;
  for (auto _ : state) {
    now += std::chrono::seconds(5);
    for (const ContainerId& id : ids) {
      benchmark::DoNotOptimize(job.Step(HeartbeatReceived{id}, now));
      if (job.NextDeadline() <= now) benchmark::DoNotOptimize(job.Step(Ticked{}, now));
    }
    events += tasks;
  }
  state.SetItemsProcessed(events);
}
BENCHMARK(BM_Heartbeats)->Arg(1000)->Arg(10000);

// Measures one failure that restarts all ranked tasks.
void BM_RestartTogether(benchmark::State& state) {
  const int tasks = static_cast<int>(state.range(0));
  const auto ids = Containers(tasks);
  jobspec::JobSpec spec = JobOf(tasks);
  spec.roles[0].restart = {1'000'000, Duration(0)};
  Job job(spec, {{true}, false}, kStart, 1);
  BringUp(job, ids);
  Instant now = kStart;
  int64_t events = 0;
  int attempt = 0;
  for (auto _ : state) {
    now += std::chrono::seconds(1);
    benchmark::DoNotOptimize(job.Step(RankExited{ids[0], attempt, 0, ExitStatus{.code = 1}, now, {}}, now));
    for (const ContainerId& id : ids) benchmark::DoNotOptimize(job.Step(TaskEnded{id, attempt, now}, now));
    ++attempt;
    for (const ContainerId& id : ids) benchmark::DoNotOptimize(job.Step(TaskStarted{id, attempt, {4711}, now}, now));
    events += 1 + 2 * tasks;
  }
  state.SetItemsProcessed(events);
}
BENCHMARK(BM_RestartTogether)->Arg(1000)->Arg(10000);

}  // namespace
}  // namespace howdah::core
