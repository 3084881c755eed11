// Benchmark: the cost of one sample of a task's metrics, and the memory that samples need.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "howdah/os/process/resources.h"
#include "howdah/os/process/usage.h"
#include "rank_series.h"
#include "resource_series.h"

namespace howdah::executor {
namespace {

constexpr Duration kInterval = std::chrono::seconds(5);

// Starts `count` sleeping processes with `threads` threads each.
class Processes {
 public:
  Processes(int64_t count, int64_t threads) {
    std::array<int, 2> ready{};
    if (::pipe2(ready.data(), O_CLOEXEC) != 0) return;
    for (int64_t i = 0; i < count; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) Sleep(threads, ready[1]);
      pids_.push_back(pid);
    }
    char byte = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (::read(ready[0], &byte, 1) != 1) break;
    }
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Processes() {
    for (const pid_t pid : pids_) ::kill(pid, SIGKILL);
    for (const pid_t pid : pids_) ::waitpid(pid, nullptr, 0);
  }

 private:
  [[noreturn]] static void Sleep(int64_t threads, int ready) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int64_t i = 1; i < threads; ++i) std::thread([] { ::poll(nullptr, 0, -1); }).detach();
    if (::write(ready, "", 1) != 1) ::_exit(1);
    for (;;) ::poll(nullptr, 0, -1);
  }
  std::vector<pid_t> pids_;
};

// Returns the heap memory that is allocated now.
double HeapKiB() {
  const struct mallinfo2 heap = ::mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd) / 1024;
}

void BM_Sample(benchmark::State& state) {
  const Processes processes(state.range(0), state.range(1));
  const double before = HeapKiB();
  os::process::UsageMeter usage;
  os::process::ResourceMeter meter(os::process::IsOfThisTask);
  ResourceSeries resources;
  RankSeries ranks;
  MetricWriter writer;
  std::string bytes;
  Instant now{};
  resources.Begin({}, now);
  ranks.Begin(static_cast<int>(state.range(0)), now);
  for (auto _ : state) {
    now += kInterval;
    for (int rank = 0; rank < static_cast<int>(state.range(0)); ++rank) {
      ranks.Take(rank, {.kind = core::ProgressLine::Kind::kStep, .step = now.time_since_epoch().count()}, now);
      ranks.Take(rank, {.kind = core::ProgressLine::Kind::kMetric, .value = 0.5, .name = "loss"}, now);
    }
    writer.Begin(now, 0);
    resources.Write(meter.Read(usage.Sample(os::process::UsageMeter::Disk::kRead)), now, writer);
    ranks.Write(now, writer);
    writer.message().SerializeToString(&bytes);
    benchmark::DoNotOptimize(bytes);
  }
  if (usage.last().processes != state.range(0)) state.SkipWithError("not all processes were found");
  state.counters["bytes"] = static_cast<double>(bytes.size());
  state.counters["heap_KiB"] = HeapKiB() - before;
}
BENCHMARK(BM_Sample)
    ->ArgNames({"processes", "threads"})
    ->Args({1, 1})
    ->Args({8, 1})
    ->Args({64, 1})
    ->Args({8, 100})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace howdah::executor
