// The history that a job leaves outside our own directories, where its job file says so; and the file systems that a
// cluster reaches.
#pragma once

#include <memory>
#include <string>

#include "cluster.h"
#include "howdah/backend/files.h"
#include "howdah/base/result.h"
#include "howdah/spec/job_spec.h"
#include "howdah/tonyhistory/job.h"

namespace howdah::yarnplace {

Result<std::unique_ptr<backend::Files>> OpenTree(const Cluster& cluster, const std::string& uri);

// Nothing, if the job file says nothing. journal: its text so far; to its end, if the job has ended.
Status BeginHistory(const Cluster& cluster, const spec::JobSpec& spec, const std::string& journal,
                    const tonyhistory::AmPlace& am);
Status EndHistory(const Cluster& cluster, const spec::JobSpec& spec, const std::string& journal,
                  const tonyhistory::AmPlace& am);

}  // namespace howdah::yarnplace
