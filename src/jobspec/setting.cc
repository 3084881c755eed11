#include "howdah/jobspec/setting.h"

#include <algorithm>

#include "howdah/base/bytes.h"
#include "howdah/base/time.h"

namespace howdah::jobspec {

namespace {

constexpr std::string_view kRoles = "roles.";

bool HasTonyKey(std::string_view key) {
  return key == "memory" || key == "vcores" || key == "gpus" || key == "instances";
}

// TonY's name of a role. A job without roles, and preprocessing, run in TonY's application master.
std::string TonyName(const RoleSpec& role) {
  const bool of_am = std::any_of(role.env.begin(), role.env.end(),
                                 [](const auto& variable) { return variable.first == "PREPROCESSING_JOB"; });
  return of_am ? "am" : role.name;
}

// TonY writes memory in whole MiB or GiB.
std::string TonyMemory(const std::string& value) {
  constexpr int64_t kMebibyte = int64_t{1} << 20, kGibibyte = int64_t{1} << 30;
  const int64_t bytes = ParseBytes(value).value_or(0);
  return bytes % kGibibyte == 0 ? std::to_string(bytes / kGibibyte) + "g"
                                : std::to_string((bytes + kMebibyte - 1) / kMebibyte) + "m";
}

}  // namespace

std::optional<std::string> TonySetting(const JobSpec& spec, std::string_view path, const std::string& value) {
  if (!spec.tony_env) return std::nullopt;
  if (path == "timeouts.run") {
    const auto run = ParseDuration(value);
    return run ? std::optional("tony.application.timeout=" + std::to_string(*run / std::chrono::milliseconds(1)))
               : std::nullopt;
  }
  const size_t dot = path.rfind('.');
  if (!path.starts_with(kRoles) || dot < kRoles.size()) return std::nullopt;
  const std::string_view name = path.substr(kRoles.size(), dot - kRoles.size()), key = path.substr(dot + 1);
  const auto role =
      std::find_if(spec.roles.begin(), spec.roles.end(), [&](const RoleSpec& other) { return other.name == name; });
  if (role == spec.roles.end() || !HasTonyKey(key)) return std::nullopt;
  return "tony." + TonyName(*role) + "." + std::string(key) + "=" + (key == "memory" ? TonyMemory(value) : value);
}

std::string SettingText(const JobSpec& spec, const RoleSpec& role, const std::string& key, const std::string& value) {
  return TonySetting(spec, "roles." + role.name + "." + key, value).value_or(key + ": " + value);
}

std::string SettingName(const JobSpec& spec, const RoleSpec& role, const std::string& key) {
  const std::string path = "roles." + role.name + "." + key;
  const auto tony = TonySetting(spec, path, "0");
  return tony ? tony->substr(0, tony->find('=')) : path;
}

}  // namespace howdah::jobspec
