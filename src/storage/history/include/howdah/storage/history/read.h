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

struct Scanned {
  std::vector<Found> jobs;
  std::vector<std::string> problems;  // errors of single directories; the other directories are still read
};

// Returns jobs that ran at or after `since`, newest first. Running jobs count as running now. Day directories that are
// too old are skipped without reading them. A missing directory has no jobs, and a directory without a file of events
// is not a job. Returns an error if `intermediate` or `finished` cannot be listed.
Result<Scanned> Scan(storage::Files& files, const Location& location, std::optional<Instant> since);

// Returns the job of one directory, or nullopt if the directory does not exist or has no file of events. moved: whether
// the directory is below `finished`.
Result<std::optional<Found>> FindIn(storage::Files& files, const std::string& directory, bool moved);

// Returns the settings in the order of the file; none if the job has no configuration. At most 1 MiB is read.
Result<std::vector<compat::tony::history::Setting>> ReadConfiguration(storage::Files& files, const Found& job);
// Returns the job's events; none if the job is in progress and the file is still empty. At most 64 MiB are read.
Result<compat::tony::history::Events> ReadEvents(storage::Files& files, const Found& job);

}  // namespace howdah::storage::history
