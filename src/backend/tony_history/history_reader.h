// Finds and reads the jobs of a history, and remembers where they are.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/compat/tony/history/configuration.h"
#include "howdah/core/change.h"
#include "howdah/storage/files.h"
#include "howdah/storage/history/read.h"

namespace howdah::backend::tony_history {

// Leaves out the jobs that one user ran with Howdah, and those of this user whose configuration cannot be read, because
// it says which program ran them. Single-threaded; blocks.
class HistoryReader {
 public:
  using Settings = std::vector<compat::tony::history::Setting>;

  HistoryReader(std::unique_ptr<storage::Files> files, storage::history::Location location, const std::string& user);

  // The jobs that ran at or after `since`, newest first.
  Result<std::vector<storage::history::Found>> Scan(std::optional<Instant> since);
  // kNotFound: there is no such job.
  Result<storage::history::Found> Find(const JobId& id);
  // The configuration without Howdah's own id of the job, because the history only knows application ids.
  Result<Settings> ReadSettings(const storage::history::Found& found);
  // The whole journal of a job. If its configuration cannot be read, the journal lacks what follows from it.
  Result<std::vector<core::JournalEntry>> ReadEntries(const JobId& id);
  const storage::history::Location& location() const { return location_; }

 private:
  bool IsOwn(const storage::history::Found& found);

  std::unique_ptr<storage::Files> files_;
  storage::history::Location location_;
  std::string user_;                                      // as in the names of files
  std::map<std::string, storage::history::Found> known_;  // where the jobs were found, by application
  std::map<std::string, bool> own_;                       // the results of IsOwn
};

}  // namespace howdah::backend::tony_history
