// Maintains a history as TonY's portal does periodically: moves finished jobs and removes old ones.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"
#include "howdah/storage/files.h"
#include "howdah/storage/history/read.h"

namespace howdah::storage::history {

// The difference between local time and UTC at an instant. The day directories are named in local time.
using UtcOffset = std::function<Duration(Instant)>;
// Returns the status of a job of any backend, or kNotFound if no backend knows the job.
using StatusOf = std::function<Result<journal::JobView>(const std::string& id)>;

enum class Mode { kApply, kDryRun };  // kDryRun: only report the actions

// The actions that were performed, or would be in a dry run: one line per action, such as "moved FROM to TO".
struct Outcome {
  std::vector<std::string> lines;
  std::vector<std::string> problems;  // errors of single jobs; the other jobs are processed nevertheless
};

// Moves every finished job from `intermediate` to finished/YYYY/MM/DD/, the day on which it ended. If a job's
// application master died without recording the end, the end is taken from `status_of`; if that returns kNotFound, the
// job is not moved. Returns an error if the directory `intermediate` cannot be read.
Result<Outcome> Move(storage::Files& files, const Location& location, const UtcOffset& utc_offset,
                     const StatusOf& status_of, Mode mode);

// Removes the directories of days that had ended by `before`, and the jobs in `intermediate` that have not been
// modified since `before`. Keeps jobs that are running according to `status_of`.
Result<Outcome> Purge(storage::Files& files, const Location& location, Instant before, const UtcOffset& utc_offset,
                      const StatusOf& status_of, Mode mode);

}  // namespace howdah::storage::history
