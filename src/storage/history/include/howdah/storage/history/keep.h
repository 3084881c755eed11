// The periodic maintenance of TonY's portal for a history: moves finished jobs and removes old ones.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"
#include "howdah/storage/files.h"
#include "howdah/storage/history/read.h"

namespace howdah::storage::history {

// The difference between local time and UTC at an instant, in the time zone of the day directories.
using Ahead = std::function<Duration(Instant)>;
// Returns the status of a job of any backend, or kNotFound if no backend knows the job.
using StatusOf = std::function<Result<journal::JobView>(const std::string& id)>;

enum class Do { kIt, kNothing };  // kNothing: a dry run, which only reports the actions

// The actions in order, one line per action, such as "moved FROM to TO".
struct Done {
  std::vector<std::string> lines;
  std::vector<std::string> problems;  // errors for single jobs; the other jobs are still processed
};

// Moves every finished job of `intermediate` to finished/YYYY/MM/DD/, the day on which it ended. If the application
// master of a job died without recording the end, the end is taken from `status_of`. If `status_of` does not know that
// job, it is not moved. Returns an error if the directory `intermediate` cannot be read.
Result<Done> Move(storage::Files& files, const Location& location, const Ahead& ahead, const StatusOf& status_of,
                  Do what);

// Removes the directories of days that had ended by `before`, and jobs of `intermediate` that have not been modified
// since `before`. Jobs that are running according to `status_of` are kept.
Result<Done> Purge(storage::Files& files, const Location& location, Instant before, const Ahead& ahead,
                   const StatusOf& status_of, Do what);

}  // namespace howdah::storage::history
