#include "howdah/backend/yarn/hadoop_client.h"

#include <openssl/rand.h>

#include "howdah/os/files/files.h"

namespace howdah::backend::yarn {
namespace {

constexpr size_t kMostRead = size_t{256} << 20;
constexpr size_t kStep = size_t{1} << 20;
// One that answers does so within milliseconds; a fail-over of the cluster may be met by calling again.
constexpr hadoop::rpc::RetryLimits kRetryLimits{
    .connect = std::chrono::seconds(5), .call = std::chrono::seconds(20), .give_up = std::chrono::seconds(8)};

// HADOOP_TOKEN_FILE_LOCATION, where whoever started us left tokens.
Result<hadoop::rpc::Credentials> ReadCredentials(const hadoop::conf::Environment& surroundings) {
  const auto path = surroundings.variable("HADOOP_TOKEN_FILE_LOCATION");
  if (!path || path->empty()) return hadoop::rpc::Credentials();
  const auto bytes = os::files::ReadFile(*path);
  const std::string doing = "reading the tokens that HADOOP_TOKEN_FILE_LOCATION names";
  if (!bytes.ok()) return bytes.error().While(doing);
  auto credentials = hadoop::rpc::ParseCredentials(*bytes);
  if (!credentials.ok()) return credentials.error().While(doing + " (" + *path + ")");
  return credentials;
}

}  // namespace

Result<HadoopClient> HadoopClient::Open(const hadoop::conf::Surroundings& surroundings, const std::string& user) {
  auto configuration = hadoop::conf::LoadConfiguration(surroundings);
  // A cluster that this machine does not know is one that cannot be reached.
  if (!configuration.ok()) return Error{ErrorCode::kUnavailable, configuration.error().message};
  HOWDAH_TRY(auto credentials, ReadCredentials(surroundings));
  const auto named = surroundings.environment("HADOOP_USER_NAME");
  return HadoopClient(std::move(*configuration), named && !named->empty() ? *named : user, std::move(credentials),
                      kPatience);
}

hadoop::hdfs::OpenOptions HadoopClient::open_options() const { return {user_, credentials_, {}}; }

Result<hadoop::yarn::ResourceManager*> HadoopClient::Rm() {
  if (!rm_) {
    hadoop::rpc::Login login;
    login.user = user_;
    if (const hadoop::rpc::Token* token = credentials_.Find("RM_DELEGATION_TOKEN")) login.token = *token;
    HOWDAH_TRY(auto opened, hadoop::yarn::ResourceManager::Open(configuration_, login, limits_));
    rm_ = std::make_unique<hadoop::yarn::ResourceManager>(std::move(opened));
  }
  return rm_.get();
}

Result<hadoop::hdfs::FileSystem*> HadoopClient::Files() {
  if (!files_) {
    HOWDAH_TRY(auto opened, hadoop::hdfs::Open(configuration_, "", open_options()));
    files_ = std::move(opened);
  }
  return files_.get();
}

Result<Layout> HadoopClient::StagingLayout() {
  HOWDAH_TRY(const auto files, Files());
  return Layout(files->home_directory());
}

Result<std::string> HadoopClient::ReadFile(const std::string& path) {
  HOWDAH_TRY(const auto files, Files());
  return ReadWhole(*files, path);
}

Status HadoopClient::WriteFile(const std::string& path, std::string_view bytes, uint32_t permission) {
  HOWDAH_TRY(const auto files, Files());
  return WriteWhole(*files, path, bytes, permission);
}

Result<std::string> ReadWhole(hadoop::hdfs::FileSystem& files, const std::string& path) {
  HOWDAH_TRY(const auto reader, files.Open(path));
  std::string whole;
  for (;;) {
    HOWDAH_TRY(const auto more, reader->Read(kStep));
    if (more.empty()) return whole;
    whole += more;
    if (whole.size() > kMostRead) return Failed("reading " + path + ": it is larger than 256 MiB");
  }
}

std::string TemporaryBeside(const std::string& path) {
  unsigned char bytes[8];
  RAND_bytes(bytes, sizeof bytes);
  std::string name = path.substr(0, path.rfind('/') + 1) + ".";
  for (const unsigned char byte : bytes) name += "abcdefghijklmnopqrstuvwxyz012345"[byte % 32];
  return name;
}

Status WriteWhole(hadoop::hdfs::FileSystem& files, const std::string& path, std::string_view bytes,
                  uint32_t permission) {
  const std::string temporary = TemporaryBeside(path);
  hadoop::hdfs::CreateOptions options;
  options.permission = permission;
  HOWDAH_TRY(const auto writer, files.Create(temporary, options));
  HOWDAH_TRY_STATUS(writer->Write(bytes));
  HOWDAH_TRY_STATUS(writer->Close());
  const Status renamed = files.Rename(temporary, path, /*overwrite=*/true);
  if (renamed.ok()) return renamed;
  const Status removed = files.Delete(temporary, /*recursive=*/false);
  return removed.ok() ? renamed : removed;
}

}  // namespace howdah::backend::yarn
