// The quantiles of the series of each role, over time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "bucket.h"
#include "howdah/base/time.h"
#include "task_data.h"

namespace howdah::metrics {

// Returns the quantiles of the values, ignoring NaNs. Changes the order of the values.
QuantileBucket QuantilesOf(std::vector<float>& values);

// The quantiles of all series of all roles. The open bucket, to which TaskData::fine belongs, is not part of rows().
class RoleQuantiles {
 public:
  using Key = std::pair<uint16_t, uint16_t>;  // role and series

  // budget: the memory for all quantiles, in bytes. A series for which no memory is left has no quantiles.
  RoleQuantiles(Duration width, int64_t budget) : width_(width), budget_(budget) {}

  // Computes the quantiles of the existing buckets of tasks. The last of these buckets stays open. Allocates
  // TaskData::fine.
  void Begin(std::deque<TaskData>& tasks, size_t buckets, Duration width);
  // Adds quantiles of a file. width: the width of the file's buckets.
  void Load(Key key, const std::vector<QuantileBucket>& buckets, Duration width);
  // Call it before a sample is added to TaskData::fine. since: the time of the sample, since the beginning of the job.
  // Closes the open bucket if the sample belongs to a later bucket.
  void OpenFor(Duration since, std::deque<TaskData>& tasks);
  // Returns a copy in which the open bucket is closed.
  RoleQuantiles Closed(const std::deque<TaskData>& tasks) const;

  const std::map<Key, std::vector<QuantileBucket>>& rows() const { return rows_; }
  size_t used() const { return used_; }  // the number of buckets until the last one with a value
  Duration width() const { return width_; }
  int64_t memory() const;

 private:
  size_t Capacity() const;
  void MakeRoom(size_t& bucket);
  void Add(Key key, size_t bucket, const QuantileBucket& value);
  void AddFine(const std::deque<TaskData>& tasks);

  std::map<Key, std::vector<QuantileBucket>> rows_;
  Duration width_;
  int64_t budget_;
  size_t used_ = 0;
  size_t open_ = 0;
};

}  // namespace howdah::metrics
