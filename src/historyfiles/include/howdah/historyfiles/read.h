// TonY's history found and read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/files.h"
#include "howdah/base/result.h"
#include "howdah/tonyhistory/job.h"

namespace howdah::historyfiles {

// Absolute paths in one file system.
struct Location {
  std::string intermediate, finished;
};
Location LocationOf(const std::string& root);  // TonY's tony.history.location

// One job's directory, by the name of its newest file of events.
struct Found {
  tonyhistory::FileName name;
  std::string directory;
  bool moved = false;  // it is below `finished`
  std::string text;    // the file's name as it is there

  std::string file() const { return directory + "/" + text; }
};

// Jobs that ran at or after `since` (those that still run count as running now). What can be told by the day in a path
// is not looked into. A directory that is not there has no jobs; one without a file of events is no job. Newest first.
Result<std::vector<Found>> Scan(backend::Files& files, const Location& location, std::optional<Instant> since);

// In the order of the file; a job without a configuration has none.
Result<std::vector<tonyhistory::Setting>> ReadConfiguration(backend::Files& files, const Found& job);
// A file that is in progress may be empty: it has no events yet.
Result<tonyhistory::Events> ReadEvents(backend::Files& files, const Found& job);

}  // namespace howdah::historyfiles
