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

OutputRules OutputsOf(const JobSpec& spec, const RoleSpec& role) {
  OutputRules rules{.patterns = spec.outputs, .new_files_limit = spec.keep_new_files_bytes};
  rules.patterns.insert(rules.patterns.end(), role.outputs.begin(), role.outputs.end());
  return rules;
}

bool KeepsOutputs(const JobSpec& spec) {
  return std::any_of(spec.roles.begin(), spec.roles.end(),
                     [&](const RoleSpec& role) { return OutputsOf(spec, role).keeps_files(); });
}

}  // namespace howdah::jobspec
