// Reads the journal of a job, which may still grow.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"

namespace howdah::backend::local {

// Reads each complete line of a growing journal once. Buffers one line.
class JournalReader {
 public:
  explicit JournalReader(std::string path) : path_(std::move(path)) {}

  // Passes on the next complete lines, up to about 1 MiB; true: there are more. A torn last line is left for later.
  Result<bool> ReadLines(const std::function<void(std::string_view)>& on_line);

 private:
  std::string path_;
  int64_t offset_ = 0;
  std::string partial_;
  bool skipping_ = false;  // in a line that is too long to be valid
};

// kSkipped: without the entries of tasks, which is enough for a list and a hundred times faster for large jobs.
enum class Tasks { kIncluded, kSkipped };

// The status according to the journal. kNotFound: no journal.
Result<journal::JobView> FoldJournal(const std::string& path, Tasks tasks);

// Whether the last complete line is the end of the job. Reads the tail only.
bool HasEndEntry(const std::string& path);

}  // namespace howdah::backend::local
