// Which container wrote which output, out of a job's journal.
#pragma once

#include <map>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/core/change.h"
#include "howdah/wire/control.pb.h"
#include "log_store.h"

namespace howdah::backend::yarn::client {

// Both streams of every process of every attempt that was started, in the order of tasks, attempts and ranks.
std::map<backend::LogSource, LogFileLocation> LogLocations(const std::vector<core::JournalEntry>& journal);

// As the AM's wire names a source, and the other way.
backend::LogSource FromWire(const wire::LogSource& source);
wire::LogSource ToWire(const backend::LogSource& source);

bool Wants(const backend::LogSelection& selection, const backend::LogSource& source);

}  // namespace howdah::backend::yarn::client
