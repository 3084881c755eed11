// howdah: the program that people run. Only this file of the program names backends.
#include "howdah/cli/main.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "howdah/backend/local/local_cluster.h"
#include "howdah/backend/tony_history/tony_history.h"
#include "howdah/backend/yarn/client/yarn_cluster.h"
#include "howdah/client/history_source.h"
#include "howdah/client/home.h"
#include "howdah/client/submitter.h"
#include "howdah/journal/ledger.h"
#include "howdah/os/process/limits.h"
#include "howdah/os/process/machine.h"
#include "howdah/rpc/openssl_setup.h"

namespace howdah {
namespace {

std::string Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// howdah-agent is installed beside this program.
std::string AgentPath() {
  const std::string self = os::process::ProgramPath();
  return self.substr(0, self.rfind('/') + 1) + "howdah-agent";
}

jobspec::EnvVars Environment() {
  jobspec::EnvVars variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string text = *at;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

// The backend that runs jobs.
Result<std::unique_ptr<backend::Cluster>> MakeJobCluster(const std::string& name,
                                                         const client::ClusterSettings& settings) {
  HOWDAH_TRY(const std::string home, client::HowdahHome(Variable, os::process::WorkingDirectory));
  if (name == "yarn") {
    const std::string user = client::UserName();
    return std::unique_ptr<backend::Cluster>(
        std::make_unique<backend::yarn::client::YarnCluster>(backend::yarn::client::YarnOptions{
            home,
            AgentPath(),
            user,
            {.variable = client::Variable, .user_name = user, .user_home = Variable("HOME")},
            settings.login.principal,
            settings.login.keytab,
            settings.login.as,
            settings.autoscaler}));
  }
  return std::unique_ptr<backend::Cluster>(std::make_unique<backend::local::LocalCluster>(backend::local::LocalOptions{
      .home = home, .agent = AgentPath(), .environment = Environment(), .user = client::UserName}));
}

// The history of TonY that tony-site.xml names. A path without a scheme is in the default file system of Hadoop, as in
// TonY.
Result<std::unique_ptr<backend::Cluster>> MakeTonyHistory(const client::ClusterSettings& settings) {
  HOWDAH_TRY(const client::TonySettings site, client::ReadTonySite());
  const std::string uri = client::HistoryUri(site);
  const bool is_here = uri.starts_with("file:") || (uri.starts_with('/') && Variable("HADOOP_CONF_DIR").empty() &&
                                                    Variable("YARN_CONF_DIR").empty());
  HOWDAH_TRY(const auto owner, MakeJobCluster(is_here ? "local" : "yarn", settings));
  HOWDAH_TRY(client::TonyDirectory directory, client::OpenTonyDirectory(*owner, uri, site));
  return std::unique_ptr<backend::Cluster>(
      std::make_unique<backend::tony_history::TonyHistory>(backend::tony_history::TonyHistoryOptions{
          std::move(directory.files), std::move(directory.location), client::UserName()}));
}

Result<std::unique_ptr<backend::Cluster>> MakeCluster(const std::string& name,
                                                      const client::ClusterSettings& settings) {
  return name == journal::kTonyHistory ? MakeTonyHistory(settings) : MakeJobCluster(name, settings);
}

}  // namespace
}  // namespace howdah

int main(int argc, char** argv) {
  howdah::os::process::OpenStandardStreams();
  howdah::rpc::IgnoreOpensslConfiguration();
  return howdah::cli::Main(argc, argv, howdah::MakeCluster);
}
