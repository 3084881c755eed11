// Hides the values of environment variables that look like secrets, in output for people and programs. The job itself
// keeps the values.
#pragma once

#include <string>
#include <string_view>

#include "howdah/jobspec/job_spec.h"

namespace howdah::client {

inline constexpr std::string_view kHidden = "(hidden)";

// Whether the name ends in TOKEN, KEY, SECRET, PASSWORD, PASSWD, PASSPHRASE or CREDENTIALS, as a word of its own
// (alone, or after '_' or '.'). Case is ignored.
bool LooksSecret(std::string_view name);

void HideSecrets(jobspec::EnvVars& env);
// Hides the secrets in the job's `env` and in the `env` of each role.
void HideSecrets(jobspec::JobSpec& spec);

}  // namespace howdah::client
