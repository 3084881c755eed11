// The history that a job leaves outside our own directories, where its job file says so; and the file systems that a
// cluster reaches.
#pragma once

#include <memory>
#include <string>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/result.h"
#include "howdah/compat/tony/history/job.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/storage/files.h"

namespace howdah::backend::yarn {

Result<std::unique_ptr<storage::Files>> OpenHdfsFiles(const HadoopClient& cluster, const std::string& uri);

// Nothing, if the job file says nothing. journal: its text so far; to its end, if the job has ended.
Status BeginTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                        const compat::tony::history::AmPlace& am);
Status FinishTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                         const compat::tony::history::AmPlace& am);

}  // namespace howdah::backend::yarn
