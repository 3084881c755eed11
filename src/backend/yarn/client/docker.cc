#include "docker.h"

namespace howdah::backend::yarn::client {
namespace {

std::string CommaList(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> DockerEnvironment(const jobspec::Docker& docker) {
  if (docker.image.empty()) return {};
  std::vector<std::pair<std::string, std::string>> variables = {{"YARN_CONTAINER_RUNTIME_TYPE", "docker"},
                                                                {"YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", docker.image}};
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) variables.emplace_back(name, std::move(value));
  };
  add("YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK", docker.network);
  add("YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", CommaList(docker.mounts));
  add("YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS", CommaList(docker.tmpfs));
  add("YARN_CONTAINER_RUNTIME_DOCKER_RUNTIME", docker.runtime);
  add("YARN_CONTAINER_RUNTIME_DOCKER_RUN_PRIVILEGED_CONTAINER", docker.privileged ? "true" : "");
  return variables;
}

}  // namespace howdah::backend::yarn::client
