// Benchmark: how many events per second the ledger of a feed processes, and how much memory and log a pass needs.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <string>

#include "howdah/feed/ledger.h"

namespace howdah::feed {
namespace {

constexpr Instant kStart{std::chrono::seconds(1'795'000'000)};
constexpr int64_t kBlocks = 4;   // of each partition
constexpr int64_t kRows = 1000;  // of each block

// Events of one pass: every block is received and handed out, in turn by all ranks, with a step and a commit at times.
struct Pass {
  Pass(const Options& options, int64_t partitions, int ranks) : ledger(options), ranks(ranks), partitions(partitions) {
    Step(SourceEnded{partitions});
    Step(GenerationFormed{0, ranks});
    for (int rank = 0; rank < ranks; ++rank) {
      Step(ReaderOpened{{rank, rank}, 0, 256});
      Step(KeptRowsOffered{{rank, rank}, 0});
    }
  }

  void Step(const Event& event) {
    ++events;
    if (ledger.Step(event, kStart).changed) log_bytes += static_cast<int64_t>(EncodeRecord(event, kStart).size());
  }

  void Run(bool commits) {
    int64_t received = 0;  // blocks of each rank
    for (int64_t block = 0; block < partitions * kBlocks; ++block) {
      const auto rank = static_cast<int>(block % ranks);
      const int64_t from = block % kBlocks * kRows;
      Step(RowsReceived{{rank, rank}, 0, block / kBlocks, {from, from + kRows}, 8 << 20, block});
      if (block % kBlocks == kBlocks - 1) Step(PartitionEnded{0, block / kBlocks, kBlocks * kRows});
      if (rank + 1 < ranks) continue;
      ++received;
      const int64_t handed_out = received * kRows / 256 * 256;
      for (int reader = 0; reader < ranks; ++reader) Step(RowsHandedOut{{reader, reader}, 0, handed_out});
      Step(StepReported{{0, 0}, 0, handed_out, received});
      if (commits && received % 10 == 0) Step(CheckpointReported{{0, 0}, received - 2});
    }
  }

  Ledger ledger;
  int ranks;
  int64_t partitions;
  int64_t events = 0, log_bytes = 0;
};

void BM_Pass(benchmark::State& state) {
  const int64_t partitions = state.range(0);
  const auto ranks = static_cast<int>(state.range(1));
  int64_t events = 0;
  for (auto _ : state) {
    const size_t before = mallinfo2().uordblks;
    Pass pass({}, partitions, ranks);
    pass.Run(state.range(2) != 0);
    events += pass.events;
    state.counters["memory_kib"] = static_cast<double>(mallinfo2().uordblks - before) / 1024;
    state.counters["log_kib"] = static_cast<double>(pass.log_bytes) / 1024;
    state.counters["snapshot_kib"] = static_cast<double>(pass.ledger.Snapshot().size()) / 1024;
  }
  state.SetItemsProcessed(events);
}
BENCHMARK(BM_Pass)
    ->ArgNames({"partitions", "ranks", "commits"})
    ->Args({10000, 64, 1})
    ->Args({10000, 64, 0})
    ->Args({10000, 4, 1})
    ->Args({100, 4, 1})
    ->Unit(benchmark::kMillisecond);

void BM_Restore(benchmark::State& state) {
  Pass pass({}, state.range(0), 64);
  pass.Run(false);
  const std::string snapshot = pass.ledger.Snapshot();
  for (auto _ : state) {
    Ledger ledger{Options{}};
    if (!ledger.Restore(snapshot).ok()) state.SkipWithError("the snapshot cannot be restored");
  }
}
BENCHMARK(BM_Restore)->Arg(10000)->Unit(benchmark::kMillisecond);

// A source asks which rows of its partition are missing.
void BM_Ask(benchmark::State& state) {
  Pass pass({}, 10000, 64);
  int64_t partition = 0;
  for (auto _ : state) benchmark::DoNotOptimize(pass.ledger.Ask(0, partition = (partition + 1) % 10000));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Ask);

}  // namespace
}  // namespace howdah::feed
