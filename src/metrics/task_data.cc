#include "task_data.h"

#include <algorithm>
#include <utility>

namespace howdah::metrics {
namespace {

constexpr size_t kFirstStride = 8;

// Grows a vector without the spare capacity that the vector's own growth would add.
template <typename T>
void Extend(std::vector<T>& values, size_t size) {
  if (size > values.capacity()) values.reserve(size);
  values.resize(size);
}

}  // namespace

Track* TaskData::Find(uint16_t series, int16_t rank) {
  for (size_t i = 0; i < tracks.size(); ++i) {
    const size_t at = hint_ + i < tracks.size() ? hint_ + i : hint_ + i - tracks.size();
    if (tracks[at].series != series || tracks[at].rank != rank) continue;
    hint_ = static_cast<uint32_t>(at + 1 < tracks.size() ? at + 1 : 0);
    return &tracks[at];
  }
  return nullptr;
}

Track* TaskData::AddTrack(uint16_t series, int16_t rank) {
  if (tracks.size() == kTracksMax) return nullptr;
  constexpr size_t kMore = 4;
  if (tracks.size() == tracks.capacity()) tracks.reserve(tracks.size() + std::max(kMore, tracks.size() / 8));
  tracks.push_back({series, rank});
  hint_ = 0;
  return &tracks.back();
}

bool TaskData::AddRow(Track& track, bool is_reported, bool has_fine) {
  if (rows_ == Track::kNoRow) return false;
  track.row = static_cast<uint16_t>(rows_++);
  Extend(buckets_, static_cast<size_t>(rows_) * stride_);
  if (has_fine) Extend(fine, rows_);
  if (is_reported) {
    Extend(reported_, reported_.size() + 1);
    reported_.back().row = track.row;
    reported_.back().step.assign(stride_, 0);
  }
  return true;
}

void TaskData::SetStride(size_t stride) {
  std::vector<Bucket> buckets(rows_ * stride);
  for (size_t row = 0; row < rows_; ++row) {
    std::copy_n(buckets_.begin() + static_cast<ptrdiff_t>(row * stride_), std::min<size_t>(stride, stride_),
                buckets.begin() + static_cast<ptrdiff_t>(row * stride));
  }
  buckets_ = std::move(buckets);
  stride_ = static_cast<uint32_t>(stride);
  for (Reported& reported : reported_) {
    std::vector<int64_t> step(stride);
    std::copy_n(reported.step.begin(), std::min(stride, reported.step.size()), step.begin());
    reported.step = std::move(step);
  }
}

void TaskData::Add(const Track& track, size_t bucket, size_t capacity, const Bucket& value) {
  if (bucket >= stride_) {
    SetStride(std::min(capacity, std::max({bucket + 1, kFirstStride, static_cast<size_t>(stride_) * 2})));
  }
  buckets_[static_cast<size_t>(track.row) * stride_ + bucket].Add(value);
}

void TaskData::Add(const Track& track, size_t bucket, size_t capacity, float weight, double value, double max) {
  Bucket sample;
  sample.Add(weight, value, max);
  Add(track, bucket, capacity, sample);
}

void TaskData::SetNewest(const Track& track, size_t bucket, double value, std::optional<int64_t> step) {
  Reported* reported = this->reported(track);
  if (reported == nullptr) return;
  reported->last = value;
  reported->has_last_step = step.has_value();
  reported->last_step = step.value_or(0);
  if (step) reported->step[bucket] = *step;
}

void TaskData::SetStep(const Track& track, size_t bucket, int64_t step) {
  if (Reported* reported = this->reported(track)) reported->step[bucket] = step;
}

void TaskData::MergePairs() {
  for (size_t row = 0; row < rows_; ++row) {
    for (size_t i = 0; i < stride_; ++i) {
      const Bucket bucket = std::exchange(buckets_[row * stride_ + i], {});
      buckets_[row * stride_ + i / 2].Add(bucket);
    }
  }
  for (Reported& reported : reported_) {
    for (size_t i = 0; i < reported.step.size(); ++i) {
      const int64_t step = std::exchange(reported.step[i], 0);
      if (step != 0) reported.step[i / 2] = step;
    }
  }
}

void TaskData::Trim(size_t capacity) {
  if (capacity < stride_) SetStride(capacity);
}

std::span<const Bucket> TaskData::Row(const Track& track) const {
  if (track.row == Track::kNoRow || stride_ == 0) return {};
  return {&buckets_[static_cast<size_t>(track.row) * stride_], stride_};
}

const Reported* TaskData::reported(const Track& track) const {
  const auto found = std::find_if(reported_.begin(), reported_.end(),
                                  [&](const Reported& reported) { return reported.row == track.row; });
  return track.row == Track::kNoRow || found == reported_.end() ? nullptr : &*found;
}

Reported* TaskData::reported(const Track& track) {
  return const_cast<Reported*>(static_cast<const TaskData*>(this)->reported(track));
}

int64_t TaskData::memory() const {
  size_t size = sizeof *this + tracks.capacity() * sizeof(Track) + fine.capacity() * sizeof(Fine) +
                buckets_.capacity() * sizeof(Bucket) + reported_.capacity() * sizeof(Reported);
  for (const Reported& reported : reported_) size += reported.step.capacity() * sizeof(int64_t);
  return static_cast<int64_t>(size);
}

}  // namespace howdah::metrics
