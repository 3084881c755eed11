// Finds and reads the jobs of TonY's history.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/compat/tony/history/job.h"
#include "howdah/storage/files.h"

namespace howdah::storage::history {

// The two directories of a history, as absolute paths in one file system.
struct Location {
  std::string intermediate, finished;
};
Location LocationOf(const std::string& root);  // root: TonY's tony.history.location

// The directory of a job, with the job's newest file of events.
struct Found {
  compat::tony::history::FileName name;
  std::string directory;
  bool moved = false;  // whether the directory is below `finished`
  std::string text;    // the name of the file of events, exactly as listed

  std::string file() const { return directory + "/" + text; }
};

// Returns the jobs that ran at or after `since`, newest first. Jobs in progress count as running now. Directories of
// older days are not read. A missing directory counts as empty, and a directory without a file of events is not a job.
Result<std::vector<Found>> Scan(storage::Files& files, const Location& location, std::optional<Instant> since);

// Returns the settings in the order of the file. Returns none if the job has no configuration file.
Result<std::vector<compat::tony::history::Setting>> ReadConfiguration(storage::Files& files, const Found& job);
// Returns the job's events. The file of a job in progress may be empty; the result is then empty, too.
Result<compat::tony::history::Events> ReadEvents(storage::Files& files, const Found& job);

}  // namespace howdah::storage::history
