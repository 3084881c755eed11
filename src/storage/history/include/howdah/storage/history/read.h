// TonY's history found and read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/compat/tony/history/job.h"
#include "howdah/storage/files.h"

namespace howdah::storage::history {

// Absolute paths in one file system.
struct Location {
  std::string intermediate, finished;
};
Location LocationOf(const std::string& root);  // TonY's tony.history.location

// One job's directory, by the name of its newest file of events.
struct Found {
  compat::tony::history::FileName name;
  std::string directory;
  bool moved = false;  // it is below `finished`
  std::string text;    // the file's name as it is there

  std::string file() const { return directory + "/" + text; }
};

// Jobs that ran at or after `since` (those that still run count as running now). What can be told by the day in a path
// is not looked into. A directory that is not there has no jobs; one without a file of events is no job. Newest first.
Result<std::vector<Found>> Scan(storage::Files& files, const Location& location, std::optional<Instant> since);

// In the order of the file; a job without a configuration has none.
Result<std::vector<compat::tony::history::Setting>> ReadConfiguration(storage::Files& files, const Found& job);
// A file that is in progress may be empty: it has no events yet.
Result<compat::tony::history::Events> ReadEvents(storage::Files& files, const Found& job);

}  // namespace howdah::storage::history
