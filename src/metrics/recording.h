// The state of a Recorder.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "block.h"
#include "howdah/metrics/recorder.h"
#include "names.h"
#include "quantiles.h"
#include "task_data.h"

namespace howdah::metrics {

class Recording {
 public:
  Recording(Instant begun, Limits limits);

  void Add(const TaskKey& key, const Sample& sample);
  Table Read(const Query& query) const;
  std::vector<TaskKey> TaskKeys() const;  // in the order of Table

  // Adds the content of a file. width: the width of the file's buckets. names: the file's texts.
  void Load(const TaskKey& key, const std::vector<TrackBlock>& tracks, const Names& names, Duration width);
  void Load(const std::string& role, const std::vector<QuantileTrack>& tracks, const Names& names, Duration width);

  // For the encoder.
  Instant begun() const { return begun_; }
  const Limits& limits() const { return limits_; }
  const Names& names() const { return names_; }
  Duration width() const { return width_; }
  size_t used() const { return used_; }  // number of buckets until the last one with a sample
  const std::deque<TaskData>& tasks() const { return tasks_; }
  std::vector<TrackBlock> TracksOf(const TaskData& task) const;
  // Returns the quantiles, including those of the present bucket. Returns nullopt if they can be computed from the
  // tasks.
  std::optional<RoleQuantiles> Quantiles() const;

  int64_t memory() const;
  uint64_t changes() const { return changes_; }

 private:
  std::vector<const TaskData*> TasksOf(const Query& query) const;
  TaskData* FindTask(const TaskKey& key);
  Track* FindTrack(TaskData& task, const Series& series, std::optional<int> rank);
  // Returns false if there is no memory for another row.
  bool AddRow(TaskData& task, Track& track);
  void Add(TaskData& task, const Sample::Value& value, Duration since);
  size_t BucketAt(Duration since);
  int64_t MemoryLeft(size_t tasks, size_t tracks, size_t rows, size_t reported) const;
  void Limit(size_t capacity);
  void MergeAll();

  const Instant begun_;
  const Limits limits_;
  Names names_;
  std::deque<TaskData> tasks_;
  std::unordered_map<uint64_t, uint32_t> by_key_;  // the position in tasks_, by role and index
  Duration width_;
  size_t capacity_;  // the maximum number of buckets per row
  size_t used_ = 0;
  size_t tracks_ = 0, rows_ = 0, reported_ = 0;  // rows_ includes the rows of reported values
  std::optional<RoleQuantiles> quantiles_;       // set only if tasks have fewer buckets than a role
  uint64_t changes_ = 0;
};

class Recorder::Impl {
 public:
  explicit Impl(Recording recording) : recording(std::move(recording)) {}
  Recording recording;
};

}  // namespace howdah::metrics
