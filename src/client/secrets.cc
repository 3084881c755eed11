#include "howdah/client/secrets.h"

#include <algorithm>
#include <cctype>

namespace howdah::client {

bool LooksSecret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  const size_t word = upper.find_last_of("_.");
  const std::string last = word == std::string::npos ? upper : upper.substr(word + 1);
  return last == "TOKEN" || last == "KEY" || last == "SECRET" || last == "PASSWORD" || last == "PASSWD" ||
         last == "PASSPHRASE" || last == "CREDENTIALS";
}

void HideSecrets(jobspec::EnvVars& env) {
  for (auto& [name, value] : env) {
    if (LooksSecret(name)) value = kHidden;
  }
}

void HideSecrets(jobspec::JobSpec& spec) {
  HideSecrets(spec.env);
  for (jobspec::RoleSpec& role : spec.roles) HideSecrets(role.env);
}

}  // namespace howdah::client
