// The state of a File.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "block.h"
#include "file_index.h"
#include "howdah/metrics/file.h"

namespace howdah::metrics {

class Recording;

class File::Impl {
 public:
  Impl(ReadBytes read, FileIndex index);

  Instant begun() const { return index_.begun; }
  const std::vector<TaskKey>& tasks() const { return tasks_; }
  Result<Table> Read(const Query& query, std::string* problem) const;
  void LoadInto(Recording& recording, std::string* problem) const;

 private:
  BlockContext ContextOf(size_t buckets, int64_t& budget) const;
  Result<std::vector<TrackBlock>> ReadTask(const FileIndex::Block& block, int64_t& budget) const;
  Result<std::vector<QuantileTrack>> ReadRole(const FileIndex::Block& block, int64_t& budget) const;
  Result<Table> ReadTasks(const Query& query, std::string* problem) const;
  Result<Table> ReadRoles(const Query& query, std::string* problem) const;

  ReadBytes read_;
  FileIndex index_;
  std::vector<TaskKey> tasks_;
};

}  // namespace howdah::metrics
