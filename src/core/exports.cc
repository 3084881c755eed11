#include "howdah/core/exports.h"

#include "gang.h"

namespace howdah::core {

jobspec::EnvVars ExportsFor(const jobspec::JobSpec& spec, const Exports& exports, int role) {
  jobspec::EnvVars variables;
  for (const Awaits& awaits : AwaitedBy(spec, spec.roles[static_cast<size_t>(role)])) {
    const auto other = static_cast<size_t>(awaits.role);
    if (!awaits.finished || other >= exports.size()) continue;
    variables.insert(variables.end(), exports[other].begin(), exports[other].end());
  }
  return variables;
}

}  // namespace howdah::core
