#include "launch_context.h"

#include "howdah/backend/yarn/job_credentials.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr std::string_view kAmToken = "YARN_AM_RM_TOKEN", kRmToken = "RM_DELEGATION_TOKEN";

// Removes the AM's own secrets, because a task must not be able to act as the AM, and the token with which it could
// submit and end applications of the user.
hadoop::rpc::Credentials WithoutAmSecrets(const hadoop::rpc::Credentials& of_am) {
  hadoop::rpc::Credentials credentials;
  for (const auto& [alias, token] : of_am.tokens) {
    if (token.kind != kAmToken && token.kind != kRmToken) credentials.tokens[alias] = token;
  }
  for (const auto& [alias, secret] : of_am.secrets) {
    if (!alias.starts_with(kAmSecretPrefix)) credentials.secrets[alias] = secret;
  }
  return credentials;
}

}  // namespace

::hadoop::yarn::ContainerLaunchContextProto LaunchContext(const AmStart& start,
                                                          const hadoop::rpc::Credentials& credentials_of_am,
                                                          const LaunchedTask& task) {
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
  context.set_tokens(hadoop::rpc::WriteCredentials(WithoutAmSecrets(credentials_of_am)));
  // bash expands the command twice. This is safe, because role names, numbers and addresses contain no characters that
  // bash interprets.
  context.add_command("exec ./howdah-agent task --yarn --job " + start.job.text + " --container " +
                      task.container.text + " --role " + task.role + " --index " + std::to_string(task.index) +
                      " --am '" + task.am_address + "' 1><LOG_DIR>/agent.stdout 2><LOG_DIR>/agent.stderr");
  return context;
}

}  // namespace howdah::backend::yarn::am
