// Following the journal of a job alone.
#pragma once

#include <functional>
#include <optional>

#include "howdah/backend/place.h"

namespace howdah::cli {

enum class Until { kEnd, kNow };

// Hands on every entry until the job's end, or those that are there now. The status they make; kTimeout: the limit ran
// out.
Result<history::JobView> FollowJournal(backend::Place& place, const JobId& id, Until until,
                                       std::optional<Duration> limit,
                                       const std::function<void(const core::JournalEntry&)>& on_entry);

}  // namespace howdah::cli
