// How users write a setting of a job: as a key of the job file or, for jobs of `howdah tony`, as a key of TonY.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

// Returns TonY's key and value for a key of the job file: "tony.worker.memory=768m" for "roles.worker.memory" and
// "768MiB". Returns nullopt if TonY has no such key, or if the job is not one of `howdah tony`.
std::optional<std::string> TonySetting(const JobSpec& spec, std::string_view path, const std::string& value);

// For messages about memory, vcores, gpus or instances of a role. Returns "memory: 768MiB" or
// "tony.worker.memory=768m".
std::string SettingText(const JobSpec& spec, const RoleSpec& role, const std::string& key, const std::string& value);

// The same without the value: "roles.worker.memory" or "tony.worker.memory".
std::string SettingName(const JobSpec& spec, const RoleSpec& role, const std::string& key);

}  // namespace howdah::jobspec
