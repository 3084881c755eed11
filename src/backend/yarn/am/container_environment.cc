#include "container_environment.h"

#include <unistd.h>

#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/token_lifetime.h"
#include "howdah/os/files/files.h"

namespace howdah::backend::yarn::am {
namespace {

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (end > at) parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Certificate authorities of the submission replace those of the node.
hadoop::conf::Environment WithStagedAuthorities(hadoop::conf::Environment environment) {
  if (::access(kAuthorities, R_OK) != 0) return environment;
  environment.variable = [of_node = std::move(environment.variable)](const std::string& name) {
    return name == "HOWDAH_CA" ? std::optional<std::string>(kAuthorities) : of_node(name);
  };
  return environment;
}

}  // namespace

Result<ContainerEnvironment> ReadContainerEnvironment(
    const std::function<std::optional<std::string>(const std::string& name)>& environment) {
  ContainerEnvironment result;
  std::string missing;
  const auto need = [&](const char* name) {
    const auto value = environment(name);
    if (!value || value->empty()) missing += (missing.empty() ? "" : ", ") + std::string(name);
    return value.value_or("");
  };
  const std::string container = need("CONTAINER_ID");
  result.node_host = need("NM_HOST");
  result.token_file = need("HADOOP_TOKEN_FILE_LOCATION");
  result.log_dirs = Split(need("LOG_DIRS"));
  result.local_dirs = Split(need("LOCAL_DIRS"));
  if (!missing.empty()) {
    return Failed("the environment lacks " + missing +
                  ", which YARN's NodeManager sets for every container; only a NodeManager starts this program");
  }
  result.proxy_base = environment("APPLICATION_WEB_PROXY_BASE").value_or("");
  result.user = environment("USER").value_or("");
  const auto id = hadoop::yarn::ParseContainerId(container);
  if (!id) return Failed("invalid container id in CONTAINER_ID: '" + container + "'");
  result.container = *id;
  return result;
}

Result<hadoop::rpc::Credentials> ReadCredentials(const std::string& path) {
  HOWDAH_TRY(const auto bytes, os::files::ReadFile(path));
  auto credentials = hadoop::rpc::ParseCredentials(bytes);
  if (!credentials.ok()) return credentials.error().While("reading the container's credentials " + path);
  return credentials;
}

Result<hadoop::rpc::Credentials> OwnCredentials(const hadoop::conf::Environment& environment) {
  HOWDAH_TRY(const auto container, ReadContainerEnvironment(environment.variable));
  HOWDAH_TRY(auto credentials, ReadCredentials(container.token_file));
  if (!HasNewerTokens()) return credentials;
  HOWDAH_TRY(const auto newer, ReadCredentials(kNewerTokens));
  return WithNewerTokens(std::move(credentials), newer);
}

bool HasNewerTokens() { return ::access(kNewerTokens, F_OK) == 0; }

Status WriteNewerTokens(const hadoop::rpc::Credentials& newer) {
  return os::files::WriteFileAtomically(kNewerTokens, hadoop::rpc::WriteCredentials(newer), 0600);
}

Result<hadoop::conf::Configuration> ReadStagedConfiguration(const hadoop::conf::Environment& environment,
                                                            const std::string& path) {
  HOWDAH_TRY(const auto xml, os::files::ReadFile(path));
  hadoop::conf::Configuration configuration(WithStagedAuthorities(environment));
  const auto no_more_files = [](const std::string& name) -> Result<std::string> {
    return Failed("the staged configuration is one file, but it includes " + name);
  };
  HOWDAH_TRY_STATUS(hadoop::conf::AddXml(configuration, path, xml, no_more_files));
  return configuration;
}

}  // namespace howdah::backend::yarn::am
