#include "am_launch.h"

namespace howdah::yarnplace {
namespace {

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

}  // namespace

std::string TaskCommand(const JobId& job, const std::string& container, const std::string& role, int index,
                        const std::string& am_address) {
  return "exec ./howdah-agent task --yarn --job " + job.text + " --container " + container + " --role " + role +
         " --index " + std::to_string(index) + " --am " + am_address +
         " 1><LOG_DIR>/agent.stdout 2><LOG_DIR>/agent.stderr";
}

hadooprpc::Credentials ExecutorCredentials(const hadooprpc::Credentials& of_am) {
  hadooprpc::Credentials credentials;
  for (const auto& [alias, token] : of_am.tokens) {
    if (token.kind != "YARN_AM_RM_TOKEN" && token.kind != "RM_DELEGATION_TOKEN")
      credentials.tokens.emplace(alias, token);
  }
  for (const char* alias : {"howdah.ca", "howdah.executor.pem", "howdah.executor.key"}) {
    const auto it = of_am.secrets.find(alias);
    if (it != of_am.secrets.end()) credentials.secrets.insert(*it);
  }
  return credentials;
}

hadoop::yarn::ContainerLaunchContextProto TaskContext(const YarnAmStart& start, const std::string& role,
                                                      const std::string& command,
                                                      const hadooprpc::Credentials& credentials) {
  hadoop::yarn::ContainerLaunchContextProto context;
  for (const auto& [name, resource] : start.local_resources) {
    auto& entry = *context.add_localresources();
    entry.set_key(name);
    *entry.mutable_value() = ToProto(resource);
  }
  if (const auto it = start.role_environment.find(role); it != start.role_environment.end()) {
    for (const auto& [name, value] : it->second) {
      auto& entry = *context.add_environment();
      entry.set_key(name);
      entry.set_value(value);
    }
  }
  context.add_command(command);
  context.set_tokens(hadooprpc::WriteCredentials(credentials));
  return context;
}

std::vector<std::pair<std::string, std::string>> DockerEnvironment(const spec::Docker& docker) {
  const std::string prefix = "YARN_CONTAINER_RUNTIME_DOCKER_";
  std::vector<std::pair<std::string, std::string>> environment = {{"YARN_CONTAINER_RUNTIME_TYPE", "docker"},
                                                                  {prefix + "IMAGE", docker.image}};
  if (!docker.network.empty()) environment.emplace_back(prefix + "CONTAINER_NETWORK", docker.network);
  if (!docker.mounts.empty()) environment.emplace_back(prefix + "MOUNTS", Joined(docker.mounts));
  if (!docker.tmpfs.empty()) environment.emplace_back(prefix + "TMPFS_MOUNTS", Joined(docker.tmpfs));
  if (!docker.runtime.empty()) environment.emplace_back(prefix + "RUNTIME", docker.runtime);
  if (docker.privileged) environment.emplace_back(prefix + "RUN_PRIVILEGED_CONTAINER", "true");
  return environment;
}

}  // namespace howdah::yarnplace
