// The files that tasks leave in their working directories, and their results.
#pragma once

#include "howdah/backend/cluster.h"
#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"

namespace howdah::backend::local {

// Moves the outputs that the job keeps (jobspec::OutputsOf) from the working directories to JobFiles::outputs(). Call
// this when no process of the job is left, before the working directories are removed.
Status KeepOutputs(const JobFiles& files);

// Copies the kept outputs, and those in the working directories of tasks that still run, to DIRECTORY/ROLE-INDEX/...
Result<Cluster::FetchedOutputs> CopyOutputs(const JobFiles& files, const std::string& directory);

// Reads the stored result of a process. name: "ROLE-INDEX/LOCAL_RANK".
Result<std::string> ReadResult(const JobFiles& files, const std::string& name);

}  // namespace howdah::backend::local
