#include "howdah/backend/yarn/am/process_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "container_environment.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/number.h"
#include "howdah/hadoop/conf/security.h"
#include "howdah/hadoop/rpc/token_identifier.h"
#include "howdah/os/files/files.h"
#include "task_credentials.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr char kTokenFile[] = "HADOOP_TOKEN_FILE_LOCATION";
constexpr char kUmask[] = "fs.permissions.umask-mode";

// The directory of the task's container with a slash at its end. Returns nullopt if this process is not part of a task
// on YARN.
std::optional<std::string> ContainerOf(const hadoop::conf::Environment& environment) {
  const std::string tokens = environment.variable(kTokenFile).value_or("");
  const std::string end = std::string("/") + kTaskTokens;
  if (!tokens.ends_with(end)) return std::nullopt;
  std::string directory = tokens.substr(0, tokens.size() - end.size() + 1);
  if (::access((directory + kConfiguration).c_str(), R_OK) != 0) return std::nullopt;
  return directory;
}

Result<uint32_t> UmaskOf(const hadoop::conf::Configuration& configuration) {
  const std::string text = configuration.Text(kUmask, "022");
  if (const auto umask = ParseNumber<uint32_t>(text, 8); umask && *umask <= 0777) return *umask;
  return Error{ErrorCode::kUsage, configuration.Where(kUmask) + " is '" + text +
                                      "', and Howdah can read only octal numbers; write it like 022"};
}

// Tasks have the tokens that `tokens.to_tasks` names, and no ticket unless their program gets one.
Result<HadoopClient> ClientOfTask(const hadoop::conf::Environment& environment, const std::string& directory) {
  HOWDAH_TRY(auto credentials, ReadCredentials(environment.variable(kTokenFile).value_or("")));
  hadoop::conf::Environment around = environment;
  if (const std::string authorities = directory + kAuthorities; ::access(authorities.c_str(), R_OK) == 0) {
    around.variable = [of_process = environment.variable, authorities](const std::string& name) {
      return name == "HOWDAH_CA" ? std::optional(authorities) : of_process(name);
    };
  }
  HOWDAH_TRY(auto configuration, ReadStagedConfiguration(around, directory + kConfiguration));
  HOWDAH_TRY(const std::string owner, os::files::ReadFile(directory + kOwnerFile));
  bool has_token = false;
  for (const auto& [alias, token] : credentials.tokens) has_token |= token.kind == hadoop::rpc::kHdfsToken;
  if (has_token || !hadoop::conf::UsesKerberos(configuration)) {
    return HadoopClient(std::move(configuration), owner,
                        std::make_shared<const CredentialStore>(std::move(credentials)));
  }
  auto login = LogIn(configuration, {});
  if (login.ok()) return HadoopClient(std::move(configuration), std::move(*login));
  return Error::WithRemedy(ErrorCode::kUnavailable,
                           "the task has no token for HDFS and no ticket (" + login.error().message + ")",
                           "add hdfs to `tokens.to_tasks` in the job file");
}

Result<HadoopClient> ClientOf(const hadoop::conf::Environment& environment, const std::string& user) {
  if (const auto directory = ContainerOf(environment)) return ClientOfTask(environment, *directory);
  HOWDAH_TRY(HadoopClient client, HadoopClient::Open(environment, user, {}));
  const auto& login = client.kerberos();
  if (login && !login->ok() && client.credentials().tokens.empty()) return login->error();
  return client;
}

}  // namespace

Result<ProcessFiles> OpenFilesOfProcess(const hadoop::conf::Environment& environment, const std::string& user,
                                        const std::string& uri) {
  ProcessFiles opened;
  if (uri.starts_with("file:")) {
    const hadoop::conf::Configuration none(environment);
    HOWDAH_TRY(opened.files, hadoop::hdfs::Open(none, uri, {.user = user}));
    return opened;
  }
  HOWDAH_TRY(const HadoopClient client, ClientOf(environment, user));
  HOWDAH_TRY(opened.umask, UmaskOf(client.configuration()));
  HOWDAH_TRY(opened.files, hadoop::hdfs::Open(client.configuration(), uri, client.open_options()));
  return opened;
}

int64_t TokensVersion(const hadoop::conf::Environment& environment) {
  struct stat info {};
  const std::string tokens = environment.variable(kTokenFile).value_or("");
  if (tokens.empty() || ::stat(tokens.c_str(), &info) != 0) return 0;
  return int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

}  // namespace howdah::backend::yarn::am
