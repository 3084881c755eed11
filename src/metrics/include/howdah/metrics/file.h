// Reads the file `metrics` of a job. Pure: the caller provides the bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/metrics/table.h"

namespace howdah::metrics {

// Returns the bytes of the file from `offset` on: `size` bytes, or fewer at the end of the file.
using ReadBytes = std::function<Result<std::string>(int64_t offset, int64_t size)>;
// Reads a file whose whole content is in memory.
ReadBytes BytesOf(std::string content);

// An opened file. Its index is in memory; the data of a task is read when it is needed. Not thread-safe.
class File {
 public:
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  ~File();

  Instant begun() const;                      // the start of the first bucket
  const std::vector<TaskKey>& tasks() const;  // ordered as in Table

  // Reads only the blocks of the selected tasks and roles. If some of them cannot be read, the table has the rest, and
  // `problem`, if not null, receives a sentence that names them. Returns an error if no block could be read.
  Result<Table> Read(const Query& query, std::string* problem = nullptr) const;

 private:
  friend Result<File> Open(ReadBytes read);
  friend class Recorder;
  class Impl;
  explicit File(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Reads the index. Any bytes give a file or an error, and the needed memory is bounded. The error describes the damage;
// it does not name the file.
Result<File> Open(ReadBytes read);

}  // namespace howdah::metrics
