#include "howdah/jobspec/job_spec.h"

namespace howdah::jobspec {

std::vector<FileOfRole> AllFiles(const JobSpec& spec) {
  std::vector<FileOfRole> all;
  for (const File& file : spec.files) all.push_back({file, ""});
  for (const RoleSpec& role : spec.roles) {
    for (const File& file : role.files) all.push_back({file, role.name});
  }
  return all;
}

}  // namespace howdah::jobspec
