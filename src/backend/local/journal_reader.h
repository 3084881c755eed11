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

  // Passes the next complete lines to on_line, up to about 1 MiB. Returns true if there may be more. An incomplete last
  // line is left for the next call.
  Result<bool> ReadLines(const std::function<void(std::string_view)>& on_line);

 private:
  std::string path_;
  int64_t offset_ = 0;
  std::string partial_;
  bool skipping_ = false;  // the current line is too long to be valid and is being skipped
};

// kSkipped leaves out the entries of tasks. A list of jobs does not need them, and skipping them is a hundred times
// faster for large jobs.
enum class Tasks { kIncluded, kSkipped };

// Returns the status that follows from the journal, or kNotFound if the journal does not exist.
Result<journal::JobView> FoldJournal(const std::string& path, Tasks tasks);

// Whether the last complete line records the end of the job. Reads only the end of the file.
bool HasEndEntry(const std::string& path);

}  // namespace howdah::backend::local
