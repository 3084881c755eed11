#include "howdah/metrics/table.h"

#include <algorithm>
#include <cmath>

#include "bucket.h"

namespace howdah::metrics {
namespace {

// Replaces each group of `size` neighbouring elements by one element.
template <typename T, typename Combine>
void Group(std::vector<T>& values, size_t size, const Combine& combine) {
  size_t count = 0;
  for (size_t begin = 0; begin < values.size(); begin += size) {
    values[count++] = combine(begin, std::min(begin + size, values.size()));
  }
  values.resize(count);
}

float Highest(const Column& column, const std::vector<float>& values, size_t begin, size_t end) {
  float highest = kNothing;
  for (size_t i = begin; i < end; ++i) {
    if (column.weight[i] > 0) highest = std::fmax(highest, values[i]);
  }
  return highest;
}

float Lowest(const Column& column, size_t begin, size_t end) {
  float lowest = kNothing;
  for (size_t i = begin; i < end; ++i) {
    if (column.weight[i] > 0) lowest = std::fmin(lowest, column.mean[i]);
  }
  return lowest;
}

float Average(const Column& column, size_t begin, size_t end) {
  double sum = 0, weight = 0;
  for (size_t i = begin; i < end; ++i) {
    if (column.weight[i] == 0) continue;
    sum += static_cast<double>(column.weight[i]) * column.mean[i];
    weight += column.weight[i];
  }
  return weight == 0 ? kNothing : static_cast<float>(sum / weight);
}

void Group(Column& column, size_t size) {
  std::vector<float> mean = column.mean;
  Group(mean, size, [&](size_t begin, size_t end) {
    if (column.quantile == 0) return Lowest(column, begin, end);
    if (column.quantile == 100) return Highest(column, column.mean, begin, end);
    return Average(column, begin, end);
  });
  Group(column.max, size, [&](size_t begin, size_t end) { return Highest(column, column.max, begin, end); });
  Group(column.step, size, [&](size_t begin, size_t end) {
    while (end - begin > 1 && column.weight[end - 1] == 0) --end;
    return column.step[end - 1];
  });
  column.mean = std::move(mean);
  Group(column.weight, size, [&](size_t begin, size_t end) {
    float sum = 0, most = 0;
    for (size_t i = begin; i < end; ++i) {
      sum += column.weight[i];
      most = std::max(most, column.weight[i]);
    }
    return column.quantile ? most : sum;
  });
}

}  // namespace

std::string_view ToText(Scope scope) { return scope == Scope::kNode ? "node" : "task"; }

bool IsReported(std::string_view name) { return name.starts_with(kMetricPrefix); }

double Column::TotalWeight() const {
  double sum = 0;
  for (const float w : weight) sum += w;
  return sum;
}

std::optional<double> Column::Mean() const {
  double sum = 0, total = 0;
  for (size_t i = 0; i < weight.size(); ++i) {
    if (weight[i] == 0) continue;
    sum += static_cast<double>(weight[i]) * mean[i];
    total += weight[i];
  }
  if (total == 0) return std::nullopt;
  return sum / total;
}

std::optional<double> Column::Max() const {
  const float highest = Highest(*this, max.empty() ? mean : max, 0, weight.size());
  if (std::isnan(highest)) return std::nullopt;
  return highest;
}

const Column* Table::Find(const TaskKey& task, std::string_view name, std::optional<int> rank) const {
  for (const Column& column : columns) {
    if (column.index == task.index && column.rank == rank && column.series.name == name && column.role == task.role) {
      return &column;
    }
  }
  return nullptr;
}

Table Merged(Table table, int points) {
  if (points <= 0 || table.buckets <= static_cast<size_t>(points)) return table;
  const auto wanted = static_cast<size_t>(points);
  const size_t size = (table.buckets + wanted - 1) / wanted;
  for (Column& column : table.columns) Group(column, size);
  table.buckets = (table.buckets + size - 1) / size;
  table.width *= static_cast<int64_t>(size);
  return table;
}

}  // namespace howdah::metrics
