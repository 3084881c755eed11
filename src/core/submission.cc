#include "howdah/core/submission.h"

#include "howdah/core/policy/gang.h"

namespace howdah::core {

JobSubmitted SubmissionOf(const jobspec::JobSpec& spec, const std::string& id, const std::string& on,
                          const std::string& user, const std::string& host) {
  JobSubmitted submitted{id, spec.name, on, std::string(jobspec::ToText(spec.framework)), user, host, {}};
  const std::vector<std::vector<int>> finished_first = policy::FinishDependencies(spec);
  for (size_t r = 0; r < spec.roles.size(); ++r) {
    submitted.roles.push_back({spec.roles[r].name, spec.roles[r].instances.min, !finished_first[r].empty()});
  }
  return submitted;
}

}  // namespace howdah::core
