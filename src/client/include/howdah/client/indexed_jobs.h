// The ended jobs that the portal has already read.
#pragma once

#include <string>

#include "howdah/backend/cluster.h"

namespace howdah::client {

// Where the portal keeps its index: $HOWDAH_HOME/portal/index.db.
std::string IndexPath(const std::string& home);

// Reads the jobs of a backend from the index of this user's $HOWDAH_HOME, so that a list of jobs need not read their
// journals. The result is empty if no index can be read. It must be used on one thread.
backend::EndedJobs IndexedJobs(const std::string& backend);

}  // namespace howdah::client
