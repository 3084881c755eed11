#include "howdah/core/exports.h"

#include "howdah/core/policy/gang.h"

namespace howdah::core {

jobspec::EnvVars ExportsFor(const jobspec::JobSpec& spec, const Exports& exports, int role) {
  jobspec::EnvVars variables;
  for (const policy::Dependency& dependency : policy::DependenciesOf(spec, spec.roles[static_cast<size_t>(role)])) {
    const auto other = static_cast<size_t>(dependency.role);
    if (dependency.until != policy::Dependency::Until::kFinished || other >= exports.size()) continue;
    variables.insert(variables.end(), exports[other].begin(), exports[other].end());
  }
  return variables;
}

}  // namespace howdah::core
