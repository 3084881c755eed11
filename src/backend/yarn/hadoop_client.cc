#include "howdah/backend/yarn/hadoop_client.h"

#include <openssl/rand.h>

#include "howdah/base/epoch.h"
#include "howdah/hadoop/conf/security.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/token_identifier.h"
#include "howdah/os/files/files.h"
#include "howdah/storage/local_files.h"

namespace howdah::backend::yarn {
namespace {

constexpr size_t kPiece = size_t{1} << 20;
// Limits for interactive commands. A healthy ResourceManager answers within milliseconds. If a command fails during a
// failover, the user can repeat it.
constexpr hadoop::rpc::RetryLimits kInteractiveLimits{
    .connect = std::chrono::seconds(5), .call = std::chrono::seconds(20), .give_up = std::chrono::seconds(8)};

// Reads the tokens in the file that HADOOP_TOKEN_FILE_LOCATION names, if that variable is set.
Result<hadoop::rpc::Credentials> ReadCredentials(const hadoop::conf::Environment& environment) {
  const auto path = environment.variable("HADOOP_TOKEN_FILE_LOCATION");
  if (!path || path->empty()) return hadoop::rpc::Credentials();
  const auto bytes = os::files::ReadFile(*path);
  const std::string doing = "reading the tokens that HADOOP_TOKEN_FILE_LOCATION names";
  if (!bytes.ok()) return bytes.error().While(doing);
  auto credentials = hadoop::rpc::ParseCredentials(*bytes);
  if (!credentials.ok()) return credentials.error().While(doing + " (" + *path + ")");
  return credentials;
}

// One file system, with a connection of its own.
class HdfsFiles final : public storage::Files {
 public:
  HdfsFiles(HadoopClient cluster, std::string uri) : cluster_(std::move(cluster)), uri_(std::move(uri)) {}

  Result<std::vector<Entry>> List(const std::string& path) override {
    HOWDAH_TRY(const auto files, Open());
    HOWDAH_TRY(const auto listed, files->List(path));
    std::vector<Entry> entries;
    for (const hadoop::hdfs::FileStatus& file : listed) {
      entries.push_back({file.name, file.directory, FromMillis(file.modified_millis)});
    }
    return entries;
  }
  Result<std::string> Read(const std::string& path, size_t limit) override {
    HOWDAH_TRY(const auto files, Open());
    return ReadWhole(*files, path, limit);
  }
  Status ReadFrom(const std::string& path, int64_t offset, const OnBytes& on_bytes) override {
    HOWDAH_TRY(const auto files, Open());
    HOWDAH_TRY(const auto reader, files->Open(path));
    if (offset >= reader->size()) return {};
    HOWDAH_TRY_STATUS(reader->Seek(offset));
    return ReadPieces(*reader, on_bytes);
  }
  Status Write(const std::string& path, std::string_view bytes) override {
    HOWDAH_TRY(const auto files, Open());
    return WriteWhole(*files, path, bytes, storage::kSharedFile);
  }
  Status MakeDirectories(const std::string& path) override {
    HOWDAH_TRY(const auto files, Open());
    return files->MakeDirectories(path, storage::kSharedDirectory);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    HOWDAH_TRY(const auto files, Open());
    return files->Rename(from, to, /*overwrite=*/false);
  }
  Status Delete(const std::string& path) override {
    HOWDAH_TRY(const auto files, Open());
    return files->Delete(path, /*recursive=*/true);
  }

  // Connects with the newest credentials.
  Result<hadoop::hdfs::FileSystem*> Open() {
    if (cluster_.TakeNewerCredentials() || !files_) {
      HOWDAH_TRY(files_, hadoop::hdfs::Open(cluster_.configuration(), uri_, cluster_.open_options()));
    }
    return files_.get();
  }

 private:
  HadoopClient cluster_;
  std::string uri_;
  std::unique_ptr<hadoop::hdfs::FileSystem> files_;
};

}  // namespace

std::string UserWithoutKerberos(const hadoop::conf::Environment& environment, const std::string& user) {
  const auto named = environment.variable("HADOOP_USER_NAME");
  return named && !named->empty() ? *named : user;
}

Result<HadoopClient> HadoopClient::Open(const hadoop::conf::Environment& environment, const std::string& user,
                                        const Identity& identity) {
  auto configuration = hadoop::conf::LoadConfiguration(environment);
  // No cluster can be reached without a configuration. kUnavailable results in exit code 3 instead of 1.
  if (!configuration.ok()) {
    Error error = configuration.error();
    error.code = ErrorCode::kUnavailable;
    return error;
  }
  HOWDAH_TRY(auto credentials, ReadCredentials(environment));
  HadoopClient client(std::move(*configuration), UserWithoutKerberos(environment, user),
                      std::make_shared<const CredentialStore>(std::move(credentials)), kInteractiveLimits);
  if (hadoop::conf::UsesKerberos(client.configuration_)) {
    client.kerberos_ = LogIn(client.configuration_, identity);
    if (client.kerberos_->ok()) client.user_ = (*client.kerberos_)->user();
    // Servers take the user from the token, and calls use tokens before tickets.
    const std::string owner = OwnerOf(client.configuration_, *client.credentials_);
    if (!owner.empty()) client.user_ = owner;
  }
  return client;
}

HadoopClient HadoopClient::WithOwnConnections() const {
  HadoopClient client(configuration_, user_, store_, limits_);
  client.kerberos_ = kerberos_;
  return client;
}

bool HadoopClient::TakeNewerCredentials() {
  auto newer = store_->Get();
  if (newer == credentials_) return false;
  credentials_ = std::move(newer);
  rm_.reset();
  files_.reset();
  return true;
}

Status HadoopClient::CheckLogin() const {
  if (!kerberos_ || kerberos_->ok() || !credentials_->tokens.empty()) return {};
  return kerberos_->error();
}

hadoop::hdfs::OpenOptions HadoopClient::open_options() const {
  hadoop::hdfs::OpenOptions options{user_, *credentials_, {}};
  if (kerberos_ && kerberos_->ok()) options.kerberos = (*kerberos_)->ForConnections();
  return options;
}

hadoop::rpc::Login HadoopClient::TicketLogin() const {
  hadoop::rpc::Login login;
  login.user = user_;
  if (kerberos_ && kerberos_->ok()) login.kerberos = (*kerberos_)->ForConnections();
  return login;
}

Result<hadoop::yarn::ResourceManagerAdmin> HadoopClient::OpenAdmin() const {
  HOWDAH_TRY_STATUS(CheckLogin());
  return hadoop::yarn::ResourceManagerAdmin::Open(configuration_, TicketLogin(), limits_);
}

Result<hadoop::yarn::ResourceManager*> HadoopClient::Rm() {
  if (!rm_) {
    HOWDAH_TRY_STATUS(CheckLogin());
    hadoop::rpc::Login login = TicketLogin();
    if (const hadoop::rpc::Token* token = credentials_->Find(hadoop::rpc::kRmToken)) login.token = *token;
    HOWDAH_TRY(auto opened, hadoop::yarn::ResourceManager::Open(configuration_, std::move(login), limits_));
    rm_ = std::make_unique<hadoop::yarn::ResourceManager>(std::move(opened));
  }
  return rm_.get();
}

Result<hadoop::hdfs::FileSystem*> HadoopClient::Files() {
  if (!files_) {
    HOWDAH_TRY_STATUS(CheckLogin());
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

Result<std::unique_ptr<storage::Files>> HadoopClient::OpenFiles(const std::string& uri) const {
  HOWDAH_TRY(const auto address, hadoop::conf::FileSystemOf(configuration_, uri));
  if (address.scheme == "file") return storage::OpenLocalFiles();
  HOWDAH_TRY_STATUS(CheckLogin());
  auto files = std::make_unique<HdfsFiles>(WithOwnConnections(), uri);
  if (const auto opened = files->Open(); !opened.ok()) return opened.error();
  return std::unique_ptr<storage::Files>(std::move(files));
}

Status ReadPieces(hadoop::hdfs::Reader& reader, const std::function<Status(std::string_view piece)>& on_piece) {
  for (;;) {
    HOWDAH_TRY(const auto piece, reader.Read(kPiece));
    if (piece.empty()) return {};
    HOWDAH_TRY_STATUS(on_piece(piece));
  }
}

Result<std::string> ReadWhole(hadoop::hdfs::FileSystem& files, const std::string& path, size_t limit) {
  HOWDAH_TRY(const auto reader, files.Open(path));
  std::string whole;
  HOWDAH_TRY_STATUS(ReadPieces(*reader, [&](std::string_view piece) -> Status {
    whole += piece;
    if (whole.size() <= limit) return {};
    return Failed("reading " + path + ": it has more than the " + std::to_string(limit) + " bytes allowed");
  }));
  return whole;
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
