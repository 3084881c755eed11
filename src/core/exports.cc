#include "howdah/core/exports.h"

#include "gang.h"

namespace howdah::core {

spec::EnvVars ExportsFor(const spec::JobSpec& spec, const Exports& exports, int role) {
  spec::EnvVars variables;
  for (const Awaits& awaits : AwaitedBy(spec, spec.roles[static_cast<size_t>(role)])) {
    const auto other = static_cast<size_t>(awaits.role);
    if (!awaits.finished || other >= exports.size()) continue;
    variables.insert(variables.end(), exports[other].begin(), exports[other].end());
  }
  return variables;
}

}  // namespace howdah::core
