// The table of all keys of the job file. Each row has the name, the section, the type with unit and range, the default
// (taken from the field), whether the key is required, and one line of help. Reading, checking, writing, the JSON
// Schema and the reference page use these rows. A new key needs one row here and one field in job_spec.h.
#pragma once

#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/section.h"

namespace howdah::jobspec {

// The most tasks that a job may have, over all roles.
inline constexpr int kMostTasks = 100'000;

const keyfile::Section<JobSpec>& JobKeys();
const keyfile::Section<RoleSpec>& RoleKeys();

// Returns the paths of all keys, as in docs/job-file.md: "roles.NAME.restart.max".
const std::vector<std::string>& KeyPaths();

}  // namespace howdah::jobspec
