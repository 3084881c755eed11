// Hides the values of environment variables that look like secrets, in output for people and programs. The job itself
// keeps the values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "howdah/jobspec/job_spec.h"

namespace howdah::client {

inline constexpr std::string_view kHidden = "(hidden)";

// Whether the name contains SECRET, PASSW, CREDENTIAL, API_KEY or PRIVATE, or ends in TOKEN, KEY or PASSPHRASE as a
// word of its own (alone, or after '_' or '.'). Case is ignored.
bool LooksSecret(std::string_view name);

// hidden: the text in place of the values.
void HideSecrets(jobspec::EnvVars& env, std::string_view hidden = kHidden);
// Hides the secrets in the job's `env` and in the `env` of each role.
void HideSecrets(jobspec::JobSpec& spec, std::string_view hidden = kHidden);

// Gives each variable whose value is `hidden` the value that it has in the same `env` of `original`. Returns the keys
// of the variables that are still hidden: "roles.worker.env.HF_TOKEN".
std::vector<std::string> RestoreSecrets(jobspec::JobSpec& spec, const jobspec::JobSpec& original,
                                        std::string_view hidden);

}  // namespace howdah::client
