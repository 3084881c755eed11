// Which container wrote which output, out of a job's journal.
#pragma once

#include <map>
#include <vector>

#include "howdah/backend/place.h"
#include "howdah/core/change.h"
#include "log_store.h"

namespace howdah::yarnplace {

// Both streams of every process of every attempt that was started, in the order of tasks, attempts and ranks.
std::map<backend::LogSource, LogFilePlace> LogPlaces(const std::vector<core::JournalEntry>& journal);

bool Wants(const backend::LogSelection& selection, const backend::LogSource& source);

}  // namespace howdah::yarnplace
