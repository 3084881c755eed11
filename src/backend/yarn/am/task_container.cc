// The executor's side of a container: the files and credentials with which its task starts.
#include "container_environment.h"
#include "howdah/backend/yarn/am/agent.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/job_credentials.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"
#include "task_credentials.h"

namespace howdah::backend::yarn::am {
Status ExtractTaskFiles(const hadoop::conf::Environment& environment) {
  const auto credentials = OwnCredentials(environment);
  return credentials.ok() ? ExtractEmbeddedFiles(*credentials) : Status(credentials.error());
}

Result<std::string> WriteTaskCredentials(const hadoop::conf::Environment& environment, const std::string& job_file) {
  HOWDAH_TRY(const auto spec_text, os::files::ReadFile(job_file));
  HOWDAH_TRY(const auto spec, jobspec::ReadEffective(spec_text));
  HOWDAH_TRY(const auto credentials, OwnCredentials(environment));
  HOWDAH_TRY(const std::string here, os::process::WorkingDirectory());
  const std::string path = here + "/" + kTaskTokens;
  const std::string bytes = hadoop::rpc::WriteCredentials(TaskCredentials(credentials, spec.tokens));
  HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(path, bytes, 0600));
  return path;
}

Status ReplaceTaskTokens(const hadoop::conf::Environment& environment, const std::string& job_file,
                         const std::string& tokens) {
  HOWDAH_TRY(const auto newer, hadoop::rpc::ParseCredentials(tokens));
  HOWDAH_TRY_STATUS(WriteNewerTokens(newer));
  const auto written = WriteTaskCredentials(environment, job_file);
  return written.ok() ? Status() : Status(written.error());
}

Result<rpc::Identity> ExecutorIdentity(const std::string& credentials_file) {
  HOWDAH_TRY(const auto credentials, ReadCredentials(credentials_file));
  return FindIdentity(credentials, "executor");
}

}  // namespace howdah::backend::yarn::am
