#include "staged_configuration.h"

#include "container_environment.h"
#include "howdah/os/files/files.h"

namespace howdah::backend::yarn::am {

Result<hadoop::rpc::Credentials> ReadCredentials(const std::string& path) {
  HOWDAH_TRY(const auto bytes, os::files::ReadFile(path));
  auto credentials = hadoop::rpc::ParseCredentials(bytes);
  if (!credentials.ok()) return credentials.error().While("reading the container's credentials " + path);
  return credentials;
}

Result<hadoop::rpc::Credentials> OwnCredentials(const hadoop::conf::Environment& environment) {
  HOWDAH_TRY(const auto container, ReadContainerEnvironment(environment.variable));
  return ReadCredentials(container.token_file);
}

Result<hadoop::conf::Configuration> ReadStagedConfiguration(const hadoop::conf::Environment& environment,
                                                            const std::string& path) {
  HOWDAH_TRY(const auto xml, os::files::ReadFile(path));
  hadoop::conf::Configuration configuration(environment);
  const auto no_more_files = [](const std::string& name) -> Result<std::string> {
    return Failed("the staged configuration is one file, but it includes " + name);
  };
  HOWDAH_TRY_STATUS(hadoop::conf::AddXml(configuration, path, xml, no_more_files));
  return configuration;
}

}  // namespace howdah::backend::yarn::am
