#include "launch_context.h"

#include "howdah/backend/yarn/access.h"

namespace howdah::backend::yarn::am {

::hadoop::yarn::ContainerLaunchContextProto LaunchContext(const AmStart& start, const std::string& credentials,
                                                          const jobspec::Access& access, const LaunchedTask& task) {
  ::hadoop::yarn::ContainerLaunchContextProto context;
  for (const auto& [name, resource] : start.local_resources) {
    const auto only = start.only_for.find(name);
    if (only != start.only_for.end() && !only->second.contains(task.role)) continue;
    auto& entry = *context.add_localresources();
    entry.set_key(name);
    *entry.mutable_value() = ToProto(resource);
  }
  if (const auto variables = start.role_environment.find(task.role); variables != start.role_environment.end()) {
    for (const auto& [name, value] : variables->second) {
      auto& entry = *context.add_environment();
      entry.set_key(name);
      entry.set_value(value);
    }
  }
  context.set_tokens(credentials);
  SetAccess(access, context);
  // bash expands the command twice. This is safe, because role names, numbers and addresses contain no characters that
  // bash interprets.
  context.add_command("exec ./howdah-agent task --yarn --job " + start.job.text + " --container " +
                      task.container.text + " --role " + task.role + " --index " + std::to_string(task.index) +
                      " --am '" + task.am_address + "' 1><LOG_DIR>/agent.stdout 2><LOG_DIR>/agent.stderr");
  return context;
}

}  // namespace howdah::backend::yarn::am
