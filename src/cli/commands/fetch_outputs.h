// Fetches the outputs of a job: `howdah outputs`, and `howdah run` at the end.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"

namespace howdah::cli::commands {

// Copies the kept files to DIRECTORY/ROLE-INDEX/... A new directory also gets a .gitignore that excludes it. Prints how
// many files there are, and the patterns of an ended job that match none of them. Returns the number of files.
Result<int64_t> FetchOutputs(backend::Cluster& cluster, const jobspec::JobSpec& spec, const journal::JobView& job,
                             const std::string& directory);

}  // namespace howdah::cli::commands
