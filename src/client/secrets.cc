#include "howdah/client/secrets.h"

#include <algorithm>
#include <cctype>

namespace howdah::client {

bool LooksSecret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const std::string_view part : {"SECRET", "PASSW", "CREDENTIAL", "API_KEY", "PRIVATE"}) {
    if (upper.find(part) != std::string::npos) return true;
  }
  const size_t word = upper.find_last_of("_.");
  const std::string last = word == std::string::npos ? upper : upper.substr(word + 1);
  return last == "TOKEN" || last == "KEY" || last == "PASSPHRASE";
}

void HideSecrets(jobspec::EnvVars& env, std::string_view hidden) {
  for (auto& [name, value] : env) {
    if (LooksSecret(name)) value = hidden;
  }
}

void HideSecrets(jobspec::JobSpec& spec, std::string_view hidden) {
  HideSecrets(spec.env, hidden);
  for (jobspec::RoleSpec& role : spec.roles) HideSecrets(role.env, hidden);
}

namespace {

// prefix: the key of `env`, with the dot behind it.
void Restore(jobspec::EnvVars& env, const jobspec::EnvVars& original, std::string_view hidden,
             const std::string& prefix, std::vector<std::string>& still_hidden) {
  for (auto& [name, value] : env) {
    if (value != hidden) continue;
    const auto known = std::find_if(original.begin(), original.end(),
                                    [&, &wanted = name](const auto& variable) { return variable.first == wanted; });
    if (known != original.end()) value = known->second;
    if (value == hidden) still_hidden.push_back(prefix + name);
  }
}

}  // namespace

std::vector<std::string> RestoreSecrets(jobspec::JobSpec& spec, const jobspec::JobSpec& original,
                                        std::string_view hidden) {
  std::vector<std::string> still_hidden;
  Restore(spec.env, original.env, hidden, "env.", still_hidden);
  for (jobspec::RoleSpec& role : spec.roles) {
    const auto known = std::find_if(original.roles.begin(), original.roles.end(),
                                    [&](const jobspec::RoleSpec& each) { return each.name == role.name; });
    Restore(role.env, known == original.roles.end() ? jobspec::EnvVars() : known->env, hidden,
            "roles." + role.name + ".env.", still_hidden);
  }
  return still_hidden;
}

}  // namespace howdah::client
