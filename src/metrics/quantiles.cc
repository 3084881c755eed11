#include "quantiles.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace howdah::metrics {
namespace {

constexpr size_t kNode = 80;  // the memory of one node of the map, in bytes (estimated)
constexpr size_t kMost = 720, kFewest = 16;

}  // namespace

QuantileBucket QuantilesOf(std::vector<float>& values) {
  std::erase_if(values, [](float value) { return std::isnan(value); });
  QuantileBucket bucket;
  if (values.empty()) return bucket;
  std::sort(values.begin(), values.end());
  bucket.count = static_cast<float>(values.size());
  for (size_t q = 0; q < kQuantiles.size(); ++q) {
    // Interpolate linearly between the two values around the position.
    const size_t scaled = (values.size() - 1) * static_cast<size_t>(kQuantiles[q]);
    const float below = values[scaled / 100], share = static_cast<float>(scaled % 100) / 100;
    bucket.value[q] = share == 0 ? below : below * (1 - share) + values[scaled / 100 + 1] * share;
  }
  return bucket;
}

size_t RoleQuantiles::Capacity() const {
  const size_t per_row = static_cast<size_t>(budget_) / std::max<size_t>(rows_.size(), 1);
  return std::clamp((std::max(per_row, kNode) - kNode) / sizeof(QuantileBucket), kFewest, kMost);
}

void RoleQuantiles::MakeRoom(size_t& bucket) {
  const size_t capacity = Capacity();
  for (; bucket >= capacity || used_ > capacity; bucket /= 2) {
    for (auto& [key, row] : rows_) {
      for (size_t i = 0; i < row.size(); ++i) {
        const QuantileBucket value = std::exchange(row[i], {});
        row[i / 2].Add(value);
      }
      row.resize((row.size() + 1) / 2);
      row.shrink_to_fit();
    }
    used_ = (used_ + 1) / 2;
    open_ /= 2;
    width_ *= 2;
  }
}

void RoleQuantiles::Add(Key key, size_t bucket, const QuantileBucket& value) {
  constexpr size_t kRow = kNode + kFewest * sizeof(QuantileBucket);
  if (!rows_.contains(key) && rows_.size() >= static_cast<size_t>(budget_) / kRow) return;
  std::vector<QuantileBucket>& row = rows_[key];
  if (bucket >= row.size()) {
    constexpr size_t kMore = 16;
    const size_t wanted = std::max(bucket + 1, row.size() + std::max(kMore, row.size() / 4));
    if (bucket >= row.capacity()) row.reserve(std::max(bucket + 1, std::min(wanted, Capacity())));
    row.resize(bucket + 1);
  }
  row[bucket].Add(value);
  used_ = std::max(used_, bucket + 1);
}

void RoleQuantiles::Begin(std::deque<TaskData>& tasks, size_t buckets, Duration width) {
  width_ = width;
  open_ = buckets == 0 ? 0 : buckets - 1;
  std::map<Key, std::vector<float>> values;
  for (size_t i = 0; i < open_; ++i) {
    for (const TaskData& task : tasks) {
      for (const Track& track : task.tracks) {
        const auto row = task.Row(track);
        if (i < row.size() && row[i].weight > 0) values[{task.role, track.series}].push_back(row[i].mean);
      }
    }
    for (auto& [key, of_series] : values) {
      if (const QuantileBucket bucket = QuantilesOf(of_series); bucket.count > 0) Add(key, i, bucket);
      of_series.clear();
    }
  }
  for (TaskData& task : tasks) {
    task.fine.assign(task.rows(), {});
    for (const Track& track : task.tracks) {
      const auto row = task.Row(track);
      if (open_ < row.size()) task.fine[track.row] = {row[open_].weight, row[open_].mean};
    }
  }
  size_t last = open_;
  MakeRoom(last);
}

void RoleQuantiles::Load(Key key, const std::vector<QuantileBucket>& buckets, Duration width) {
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i].count == 0) continue;
    size_t bucket = static_cast<size_t>(width * static_cast<int64_t>(i) / width_);
    MakeRoom(bucket);
    Add(key, bucket, buckets[i]);
  }
  open_ = used_;
}

void RoleQuantiles::AddFine(const std::deque<TaskData>& tasks) {
  std::map<Key, std::vector<float>> values;
  for (const TaskData& task : tasks) {
    for (const Track& track : task.tracks) {
      if (track.row == Track::kNoRow || track.row >= task.fine.size()) continue;
      const Fine& fine = task.fine[track.row];
      if (fine.weight > 0) values[{task.role, track.series}].push_back(fine.mean);
    }
  }
  size_t bucket = open_;
  MakeRoom(bucket);
  for (auto& [key, of_series] : values) {
    if (const QuantileBucket quantiles = QuantilesOf(of_series); quantiles.count > 0) Add(key, bucket, quantiles);
  }
  bucket = open_;
  MakeRoom(bucket);  // a new row may have decreased the capacity
}

void RoleQuantiles::OpenFor(Duration since, std::deque<TaskData>& tasks) {
  if (static_cast<size_t>(since / width_) <= open_) return;
  AddFine(tasks);
  for (TaskData& task : tasks) std::fill(task.fine.begin(), task.fine.end(), Fine());
  open_ = std::max(open_, static_cast<size_t>(since / width_));
}

RoleQuantiles RoleQuantiles::Closed(const std::deque<TaskData>& tasks) const {
  RoleQuantiles closed = *this;
  closed.AddFine(tasks);
  return closed;
}

int64_t RoleQuantiles::memory() const {
  size_t size = rows_.size() * kNode;
  for (const auto& [key, row] : rows_) size += row.capacity() * sizeof(QuantileBucket);
  return static_cast<int64_t>(size);
}

}  // namespace howdah::metrics
