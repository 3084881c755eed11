// howdah: the program that people run. The only file that knows which backends exist.
#include "howdah/cli/main.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <memory>
#include <string>

#include "howdah/backend/local/local_cluster.h"
#include "howdah/backend/yarn/client/yarn_cluster.h"
#include "howdah/client/submitter.h"

namespace {

using howdah::Error;
using howdah::ErrorCode;
using howdah::Result;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Absolute(const std::string& path) {
  char directory[PATH_MAX];
  if (path.starts_with('/') || getcwd(directory, sizeof directory) == nullptr) return path;
  return std::string(directory) + "/" + path;
}

Result<std::string> HowdahHome() {
  if (const std::string home = Variable("HOWDAH_HOME"); !home.empty()) return Absolute(home);
  if (const std::string state = Variable("XDG_STATE_HOME"); !state.empty()) return Absolute(state) + "/howdah";
  if (const std::string home = Variable("HOME"); !home.empty()) return Absolute(home) + "/.local/state/howdah";
  return Error{ErrorCode::kUsage,
               "neither HOWDAH_HOME nor HOME is set; set the directory for jobs, for example HOWDAH_HOME=/data/howdah"};
}

// howdah-agent is in the same directory as this program.
std::string AgentPath() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  std::string self(path, size < 0 ? 0 : static_cast<size_t>(size));
  return self.substr(0, self.rfind('/') + 1) + "howdah-agent";
}

howdah::jobspec::EnvVars Environment() {
  howdah::jobspec::EnvVars variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string text = *at;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

howdah::hadoop::conf::Environment HadoopEnvironment() {
  return {.variable = howdah::client::Variable, .user_name = howdah::client::UserName(), .user_home = Variable("HOME")};
}

Result<std::unique_ptr<howdah::backend::Cluster>> MakeCluster(const std::string& name) {
  auto home = HowdahHome();
  if (!home.ok()) return home.error();
  if (name == "yarn") {
    return std::unique_ptr<howdah::backend::Cluster>(
        std::make_unique<howdah::backend::yarn::client::YarnCluster>(howdah::backend::yarn::client::YarnOptions{
            *home, AgentPath(), howdah::client::UserName(), HadoopEnvironment()}));
  }
  return std::unique_ptr<howdah::backend::Cluster>(std::make_unique<howdah::backend::local::LocalCluster>(
      howdah::backend::local::LocalOptions{*home, AgentPath(), Environment()}));
}

}  // namespace

int main(int argc, char** argv) { return howdah::cli::Main(argc, argv, MakeCluster); }
