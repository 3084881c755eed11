#include "howdah/jobspec/job_spec.h"

#include <algorithm>

namespace howdah::jobspec {

std::vector<FileOfRole> AllFiles(const JobSpec& spec) {
  std::vector<FileOfRole> all;
  for (const File& file : spec.files) all.push_back({file, ""});
  for (const RoleSpec& role : spec.roles) {
    for (const File& file : role.files) all.push_back({file, role.name});
  }
  return all;
}

std::vector<std::string> OutputsOf(const JobSpec& spec, const RoleSpec& role) {
  std::vector<std::string> patterns = spec.outputs;
  patterns.insert(patterns.end(), role.outputs.begin(), role.outputs.end());
  return patterns;
}

bool KeepsOutputs(const JobSpec& spec) {
  return std::any_of(spec.roles.begin(), spec.roles.end(),
                     [&](const RoleSpec& role) { return !OutputsOf(spec, role).empty(); });
}

}  // namespace howdah::jobspec
