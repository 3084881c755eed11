#include "table_builder.h"

#include <algorithm>

namespace howdah::metrics {
TableBuilder::TableBuilder(const Query& query, const Names& names, Instant begun, Duration width, size_t buckets)
    : query_(query), names_(names), wanted_(query.series.begin(), query.series.end()) {
  size_t last = buckets;  // the end of the wanted buckets (exclusive)
  const auto bucket_at = [&](Duration since) {
    return static_cast<size_t>(std::clamp<int64_t>(since.count() / width.count(), 0, static_cast<int64_t>(buckets)));
  };
  if (query.from && *query.from > begun) first_ = bucket_at(*query.from - begun);
  if (query.to) last = *query.to <= begun ? 0 : bucket_at(*query.to - begun - Duration(1)) + 1;
  last = std::min(last, buckets);
  first_ = std::min(first_, last);
  table_.start = begun + width * static_cast<int64_t>(first_);
  table_.width = width;
  table_.buckets = last - first_;
}

bool TableBuilder::WantsTask(const std::string& role, int index) const {
  return WantsRole(role) && (query_.of == Query::Of::kRole || !query_.index || *query_.index == index);
}

bool TableBuilder::WantsSeries(uint16_t series) const {
  return wanted_.empty() || wanted_.contains(names_.series()[series].name);
}

void TableBuilder::Add(uint16_t role, int index, const Part& part) {
  if (!WantsSeries(part.series)) return;
  const size_t has = std::clamp(part.buckets.size(), first_, end());
  if (query_.of == Query::Of::kRole) {
    auto& values = values_[{role, part.series}];
    values.resize(table_.buckets);
    for (size_t i = first_; i < has; ++i) {
      if (part.buckets[i].weight > 0) values[i - first_].push_back(part.buckets[i].mean);
    }
    return;
  }
  if (query_.of == Query::Of::kRank && part.rank == Track::kNoRank) return;
  Column column;
  column.series = names_.series()[part.series];
  column.role = names_.roles()[role];
  column.index = index;
  if (part.rank != Track::kNoRank) column.rank = part.rank;
  column.absent = names_.reasons()[part.reason];
  if (part.capacity != 0) column.capacity = names_.capacities()[part.capacity];
  column.weight.assign(table_.buckets, 0);
  column.mean.assign(table_.buckets, kNothing);
  column.max.assign(table_.buckets, kNothing);
  if (IsReported(column.series.name)) column.step.assign(table_.buckets, 0);
  for (size_t i = first_; i < has; ++i) {
    const Bucket& bucket = part.buckets[i];
    if (bucket.weight == 0) continue;
    column.weight[i - first_] = bucket.weight;
    column.mean[i - first_] = bucket.mean;
    column.max[i - first_] = bucket.max;
    if (!column.step.empty() && i < part.step.size()) column.step[i - first_] = part.step[i];
  }
  column.last = part.last;
  column.last_step = part.last_step;
  positions_.push_back({role, index, column.series.name, part.rank, 0, table_.columns.size()});
  table_.columns.push_back(std::move(column));
}

void TableBuilder::AddQuantiles(uint16_t role, uint16_t series, std::span<const QuantileBucket> buckets) {
  if (!WantsSeries(series)) return;
  const size_t has = std::clamp(buckets.size(), first_, end());
  for (size_t q = 0; q < kQuantiles.size(); ++q) {
    Column column;
    column.series = names_.series()[series];
    column.role = names_.roles()[role];
    column.quantile = kQuantiles[q];
    column.weight.assign(table_.buckets, 0);
    column.mean.assign(table_.buckets, kNothing);
    for (size_t i = first_; i < has; ++i) {
      if (buckets[i].count == 0) continue;
      column.weight[i - first_] = buckets[i].count;
      column.mean[i - first_] = buckets[i].value[q];
    }
    positions_.push_back({role, 0, column.series.name, 0, kQuantiles[q], table_.columns.size()});
    table_.columns.push_back(std::move(column));
  }
}

Table TableBuilder::Take() {
  for (auto& [key, values] : std::exchange(values_, {})) {
    std::vector<QuantileBucket> buckets(first_);
    for (std::vector<float>& of_bucket : values) buckets.push_back(QuantilesOf(of_bucket));
    AddQuantiles(key.first, key.second, buckets);
  }
  std::sort(positions_.begin(), positions_.end());
  std::vector<Column> ordered;
  ordered.reserve(positions_.size());
  for (const Position& position : positions_) ordered.push_back(std::move(table_.columns[position.column]));
  table_.columns = std::move(ordered);
  return Merged(std::move(table_), query_.points);
}

}  // namespace howdah::metrics
