// What TonY's portal does with a history now and then: moves what has ended, removes what is old.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/journal/job_view.h"
#include "howdah/storage/files.h"
#include "howdah/storage/history/read.h"

namespace howdah::storage::history {

// How far local time is ahead of UTC at an instant, in the zone of the directories of days.
using Ahead = std::function<Duration(Instant)>;
// The status of a job, of whatever kind; kNotFound: nobody knows it.
using StatusOf = std::function<Result<journal::JobView>(const std::string& id)>;

enum class Do { kIt, kNothing };  // kNothing: only say what would be done

// What was done, in the order in which it was: a line each, as "moved FROM to TO".
struct Done {
  std::vector<std::string> lines;
  std::vector<std::string> problems;  // one job that cannot be moved must not hold up the others
};

// Every job of `intermediate` that has ended goes to finished/YYYY/MM/DD/, by the time at which it ended. One whose
// application master died without recording the end gets the end that `status_of` tells; one of which nothing is known
// stays. An error: the directory itself cannot be read.
Result<Done> Move(storage::Files& files, const Location& location, const Ahead& ahead, const StatusOf& status_of,
                  Do what);

// Removes directories of days that had ended by `before`, and jobs of `intermediate` that nobody has changed since, but
// for those that `status_of` says are running.
Result<Done> Purge(storage::Files& files, const Location& location, Instant before, const Ahead& ahead,
                   const StatusOf& status_of, Do what);

}  // namespace howdah::storage::history
