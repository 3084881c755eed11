#include "stored_job.h"

#include <utility>

#include "howdah/client/secrets.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::portal {

Result<jobspec::JobSpec> ReadStoredJob(backend::Cluster& cluster, const JobId& id, bool reveal) {
  HOWDAH_TRY(const std::string text, cluster.JobFile(id));
  auto read = jobspec::ReadEffective(text);
  if (!read.ok()) return Failed("reading the job file of " + id.text + ": " + read.error().message);
  jobspec::JobSpec spec = std::move(*read);
  if (!reveal) client::HideSecrets(spec, kHiddenValue);
  return spec;
}

}  // namespace howdah::portal
