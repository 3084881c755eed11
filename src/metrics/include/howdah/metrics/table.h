// Metrics of a job as values: series, the query of a reader, and the table that answers it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::metrics {

// The thing that a series measures: the processes of one task, or the whole node on which the task runs.
enum class Scope { kTask, kNode };
std::string_view ToText(Scope scope);  // "task", "node"

struct Series {
  std::string name;  // "cpu_cores", "metric.loss"; docs/metrics.md lists the names
  std::string unit;  // "bytes", "bytes/s", "cores", "s"; empty if the values have none
  Scope scope = Scope::kTask;
  friend bool operator==(const Series&, const Series&) = default;
};

// Series that a program reports itself, with a line `metric NAME VALUE` in HOWDAH_PROGRESS, are called "metric.NAME".
inline constexpr std::string_view kMetricPrefix = "metric.";
bool IsReported(std::string_view name);

struct TaskKey {
  std::string role;
  int index = 0;
  friend auto operator<=>(const TaskKey&, const TaskKey&) = default;
};

// Selects columns of a table. Empty fields do not restrict the selection.
struct Query {
  enum class Of {
    kTask,  // every column of the tasks, including those of single ranks
    kRank,  // only the columns of single ranks
    kRole,  // the quantiles of each role: 0, 25, 50, 75 and 100 %, over its tasks (or ranks)
  };
  Of of = Of::kTask;
  std::optional<std::string> role;
  std::optional<int> index;         // only together with `role`; ignored for kRole
  std::vector<std::string> series;  // names of series
  std::optional<Instant> from, to;  // selects buckets that end after `from` and begin before `to`
  int points = 0;                   // the greatest number of buckets; 0: as many as there are
};

// One series of one task, of one rank, or one quantile of a role. All vectors of a column have Table::buckets elements,
// or are empty where the comment says so.
struct Column {
  Series series;
  std::string role;
  std::optional<int> index;     // the task's index; not set for a quantile of a role
  std::optional<int> rank;      // the local rank in its task; not set for series of a whole task
  std::optional<int> quantile;  // 0, 25, 50, 75 or 100; only for a quantile of a role
  // The amount of measurement in each bucket. For most series: the seconds that the samples cover. For "metric.NAME":
  // the number of reported values. For a quantile: the number of tasks or ranks. 0 means that nothing was measured,
  // which differs from a measured 0. Mean and max are NaN in such a bucket.
  std::vector<float> weight;
  std::vector<float> mean;           // the weighted mean of the samples; for "metric.NAME", it may be NaN or infinite
  std::vector<float> max;            // the highest value; empty for a quantile
  std::vector<int64_t> step;         // only for "metric.NAME", otherwise empty: the step of the bucket's newest value
  std::optional<double> last;        // only for "metric.NAME": the newest value
  std::optional<int64_t> last_step;  // the step of `last`
  std::optional<double> capacity;    // the highest possible value, if it is known: the size of /dev/shm
  std::string absent;                // the reason why the series cannot be read at present; empty if it can be read

  // The seconds that all samples together cover (for "metric.NAME": the number of values).
  double TotalWeight() const;
  // The mean of all samples. Not set if there are none.
  std::optional<double> Mean() const;
  // The highest value, ignoring NaN. Not set if there is none.
  std::optional<double> Max() const;
};

// A table of time buckets of equal width. Bucket i covers [start + i * width, start + (i + 1) * width).
struct Table {
  Instant start{};
  Duration width{0};
  size_t buckets = 0;
  // Ordered by role (in the order in which roles first reported), task index, series name, rank, quantile.
  std::vector<Column> columns;

  // The column of a series of a task, or of one of its ranks. Null if there is none.
  const Column* Find(const TaskKey& task, std::string_view name, std::optional<int> rank = std::nullopt) const;
};

// The table with neighbouring buckets merged until it has at most `points` buckets. points <= 0: unchanged.
Table Merged(Table table, int points);

}  // namespace howdah::metrics
