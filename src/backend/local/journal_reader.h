// Reading the journal of a job, which may still grow.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"

namespace howdah::backend::local {

// Goes through a journal's whole lines, once each, however often it is asked as the file grows. Memory: one line.
class JournalReader {
 public:
  explicit JournalReader(std::string path) : path_(std::move(path)) {}

  // Hands on the next whole lines, at most about 1 MiB; true: there is more right now. A torn last line stays.
  Result<bool> ReadLines(const std::function<void(std::string_view)>& on_line);

 private:
  std::string path_;
  int64_t offset_ = 0;
  std::string partial_;
  bool skipping_ = false;  // within a line too long to be one of ours
};

// tasks: kLeftOut reads over what only concerns tasks: enough for a list, and a hundred times faster for a large job.
enum class Tasks { kWanted, kLeftOut };

// The status as the journal tells it. kNotFound: there is no journal.
Result<journal::JobView> FoldJournal(const std::string& path, Tasks tasks);

// Whether the last whole line is the end of the job. Reads the tail alone.
bool EndsFinally(const std::string& path);

}  // namespace howdah::backend::local
