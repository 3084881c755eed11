// Figures of the index with 100,000 jobs (`./dev bench portal-b`): the 99th percentile of each query, and the time to
// write all rows.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "howdah/index/store.h"
#include "howdah/os/files/files.h"

namespace howdah::index {
namespace {

using query::Filter;
using query::JobPage;
using query::JobQuery;
using query::JobRow;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kJobs = 100'000;
constexpr int kBatch = 100;
constexpr Instant kNow = Instant(std::chrono::days(20'000));

JobRow Row(int number, std::minstd_rand& random) {
  const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const std::string name = "training-" + std::to_string(pick(3000));
  JobRow row{.id = "howdah-20261121-064512-" + std::to_string(number),
             .name = name,
             .user = "user" + std::to_string(pick(40)),
             .queue = "root.team" + std::to_string(pick(12)),
             .backend = pick(3) == 0 ? "local" : "yarn",
             .framework = pick(2) == 0 ? "pytorch" : "tensorflow",
             .state = pick(4) == 0 ? core::JobState::kFailed : core::JobState::kSucceeded};
  if (row.state == core::JobState::kFailed) {
    row.reason = "worker:" + std::to_string(pick(64)) + " failed with exit code 1 on node" + std::to_string(pick(500)) +
                 ": ModuleNotFoundError: No module named 'module" + std::to_string(pick(900)) + "' (train.py line 3)";
  }
  row.tags = {"team" + std::to_string(pick(20)), "nightly"};
  row.nodes = {"node" + std::to_string(pick(500)), "node" + std::to_string(pick(500))};
  row.submitted = kNow - std::chrono::seconds(number * 60);
  row.started = *row.submitted + std::chrono::seconds(pick(600));
  row.finished = *row.started + std::chrono::seconds(pick(40'000));
  row.tasks = pick(64);
  row.gpus = pick(64);
  row.goodput = pick(1000) / 1000.0;
  row.findings = pick(4);
  row.cost = pick(100'000) / 100.0;
  row.currency = "EUR";
  row.status_json = R"({"id":")" + row.id + R"(","name":")" + name +
                    R"(","state":"FAILED","exit_code":1,"on":"yarn","framework":"pytorch","generation":0,"reason":")" +
                    row.reason + R"(","advice":null,"cause":{"kind":"task","role":"worker","index":1,"attempt":0},)" +
                    R"("submitted":"2026-11-21T06:45:12.301Z","started":"2026-11-21T06:45:13.000Z",)" +
                    R"("finished":"2026-11-21T09:45:13.000Z","urls":{"tracking":null,"tensorboard":null}})";
  return row;
}

// A file with all rows, made once and removed at the end.
class Table {
 public:
  Table() {
    std::string folder = "/tmp/howdah-index.XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) abort();
    folder_ = folder;
    Store store(path(), "");
    std::minstd_rand random(1);
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < kJobs; i += kBatch) {
      std::vector<JobRow> rows;
      for (int j = i; j < i + kBatch; ++j) rows.push_back(Row(j, random));
      store.Apply(std::move(rows), {});
    }
    write_time_ = std::chrono::steady_clock::now() - begun;
  }
  ~Table() { (void)os::files::RemoveTree(folder_); }
  std::string path() const { return folder_ + "/index.db"; }
  Milliseconds write_time() const { return write_time_; }

 private:
  std::string folder_;
  Milliseconds write_time_{};
};

const Table& TheTable() {
  static const Table table;
  return table;
}

Filter FilterOf(const std::string& text) { return std::get<Filter>(query::ParseFilter(text, "user1", kNow)); }

// Measures each call, and reports the 99th percentile. query: receives the number of the call.
void Measure(benchmark::State& state, const std::function<JobQuery(Store& store, int call)>& query) {
  Store store(TheTable().path(), "");
  std::vector<double> times;
  int call = 0;
  for ([[maybe_unused]] auto _ : state) {
    const JobQuery next = query(store, call++);
    const auto begun = std::chrono::steady_clock::now();
    const JobPage page = store.Find(next);
    times.push_back(Milliseconds(std::chrono::steady_clock::now() - begun).count());
    if (page.rows.empty()) state.SkipWithError("no rows");
  }
  std::sort(times.begin(), times.end());
  if (!times.empty()) state.counters["p99_ms"] = times[times.size() * 99 / 100];
}

void BM_Newest(benchmark::State& state) {
  Measure(state, [](Store&, int) { return JobQuery{.now = kNow}; });
}

void BM_NewestWithFacets(benchmark::State& state) {
  Measure(state, [](Store&, int) { return JobQuery{.facets = true, .now = kNow}; });
}

void BM_UserAndState(benchmark::State& state) {
  Measure(state, [](Store&, int call) {
    return JobQuery{.filter = FilterOf("state:failed user:user" + std::to_string(call % 40)), .now = kNow};
  });
}

void BM_PartOfAReason(benchmark::State& state) {
  Measure(state, [](Store&, int call) {
    return JobQuery{.filter = FilterOf("\"named 'module" + std::to_string(call % 900) + "\""), .now = kNow};
  });
}

void BM_ByGoodput(benchmark::State& state) {
  Measure(state, [](Store&, int call) {
    return JobQuery{.order = *query::ParseOrder(call % 2 == 0 ? "goodput" : "-goodput"), .now = kNow};
  });
}

void BM_ByDuration(benchmark::State& state) {
  Measure(state, [](Store&, int) { return JobQuery{.order = *query::ParseOrder("-took"), .now = kNow}; });
}

void BM_Page1000(benchmark::State& state) {
  std::optional<query::Position> position;
  Measure(state, [&](Store& store, int) {
    if (!position) {  // after 999 pages of 50 rows
      const JobPage page = store.Find({.limit = 49'950, .now = kNow});
      position = PositionOf(*page.rows.back(), query::SortColumn::kSubmitted, kNow);
    }
    return JobQuery{.after = position, .now = kNow};
  });
}

void BM_OpenAndFirstPage(benchmark::State& state) {
  const std::string path = TheTable().path();
  std::vector<double> times;
  for ([[maybe_unused]] auto _ : state) {
    const auto begun = std::chrono::steady_clock::now();
    Store store(path, "");
    if (store.Find({.now = kNow}).rows.size() != 50) state.SkipWithError("no rows");
    times.push_back(Milliseconds(std::chrono::steady_clock::now() - begun).count());
  }
  std::sort(times.begin(), times.end());
  if (!times.empty()) state.counters["p99_ms"] = times[times.size() * 99 / 100];
}

void BM_WriteAllRows(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) (void)TheTable();
  state.counters["p99_ms"] = TheTable().write_time().count();
}

BENCHMARK(BM_WriteAllRows)->Iterations(1);
BENCHMARK(BM_OpenAndFirstPage)->Iterations(100)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Newest)->Iterations(200)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_NewestWithFacets)->Iterations(200)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_UserAndState)->Iterations(200)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PartOfAReason)->Iterations(200)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ByGoodput)->Iterations(200)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ByDuration)->Iterations(200)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Page1000)->Iterations(200)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace howdah::index
