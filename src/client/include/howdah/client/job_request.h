// The job that a user requests: a job file with changes, or a command without a job file.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/jobspec/quick_job.h"

namespace howdah::client {

struct JobRequest {
  std::string file;                // "-" for stdin; if empty, the job is `quick`
  std::vector<std::string> sets;   // the changes of --set, each as KEY=VALUE
  std::string from;                // the role that begins the job, if not empty (jobspec::StartFrom)
  std::vector<std::string> words;  // arguments for the commands of the file, or the command of a quick job
  jobspec::QuickJob quick;
  std::vector<std::string> quick_flags;  // names of the flags that set `quick`, for messages
};

// Reads the job file, or makes a job from `quick`. The result lists all problems of the job file. An Error means wrong
// usage, or an unreadable file.
Result<jobspec::ParsedJob> ReadJob(const JobRequest& request);

// Returns the environment variables, files and current directory of this process, for parsing a job file. Fails if the
// current directory has been removed.
Result<jobspec::SubmitHost> SubmitHostHere(std::string file_name);

}  // namespace howdah::client
