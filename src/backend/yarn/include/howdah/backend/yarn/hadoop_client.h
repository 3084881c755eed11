// Access to a Hadoop cluster for a client or an AM: configuration, user, credentials, and connections to the
// ResourceManager and the file system, which are opened at first use.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/backend/yarn/credential_store.h"
#include "howdah/backend/yarn/identity.h"
#include "howdah/backend/yarn/layout.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "howdah/hadoop/hdfs/open.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/yarn/admin.h"
#include "howdah/hadoop/yarn/resource_manager.h"
#include "howdah/storage/files.h"

namespace howdah::backend::yarn {

// Returns HADOOP_USER_NAME, or `user` if it is not set.
std::string UserWithoutKerberos(const hadoop::conf::Environment& environment, const std::string& user);

// Single-threaded. Another thread needs its own HadoopClient (WithOwnConnections).
class HadoopClient {
 public:
  // Opens a client for interactive commands: its calls give up after seconds, not minutes. On a cluster with Kerberos
  // the file of tokens or `identity` determines the user; otherwise HADOOP_USER_NAME overrides `user`. If there is
  // neither a ticket nor a file of tokens, Rm and Files return the error.
  static Result<HadoopClient> Open(const hadoop::conf::Environment& environment, const std::string& user,
                                   const Identity& identity);
  // limits: time limits for calls to the ResourceManager.
  HadoopClient(hadoop::conf::Configuration configuration, std::string user,
               std::shared_ptr<const CredentialStore> credentials, hadoop::rpc::RetryLimits limits = {})
      : configuration_(std::move(configuration)),
        user_(std::move(user)),
        store_(std::move(credentials)),
        credentials_(store_->Get()),
        limits_(limits) {}
  // Uses a ticket, and no tokens.
  HadoopClient(hadoop::conf::Configuration configuration, ClientLogin login)
      : HadoopClient(std::move(configuration), login.user(),
                     std::make_shared<const CredentialStore>(hadoop::rpc::Credentials())) {
    kerberos_ = std::move(login);
  }
  HadoopClient WithOwnConnections() const;

  // Takes newer credentials from the store. If there are any, closes the connections, so results of Rm and Files become
  // invalid, and returns true. A client that serves for days calls this before each use.
  bool TakeNewerCredentials();

  const hadoop::conf::Configuration& configuration() const { return configuration_; }
  const std::string& user() const { return user_; }
  const hadoop::rpc::Credentials& credentials() const { return *credentials_; }
  // The login with Kerberos, or nullopt: the cluster does not use Kerberos, or this client uses only tokens. An error:
  // no ticket was found.
  const std::optional<Result<ClientLogin>>& kerberos() const { return kerberos_; }
  hadoop::hdfs::OpenOptions open_options() const;

  Result<hadoop::yarn::ResourceManager*> Rm();
  // A new client of the administration protocol, which does not accept tokens.
  Result<hadoop::yarn::ResourceManagerAdmin> OpenAdmin() const;
  // Return the default file system, and the paths of Howdah's files in it.
  Result<hadoop::hdfs::FileSystem*> Files();
  Result<Layout> StagingLayout();
  // Read and write small files in the default file system.
  Result<std::string> ReadFile(const std::string& path);
  Status WriteFile(const std::string& path, std::string_view bytes, uint32_t permission);
  // Opens the file system of a URI as storage::Files, with its own connection.
  Result<std::unique_ptr<storage::Files>> OpenFiles(const std::string& uri) const;

 private:
  // Returns the error if this client needs a ticket and has none.
  Status CheckLogin() const;
  hadoop::rpc::Login TicketLogin() const;

  hadoop::conf::Configuration configuration_;
  std::string user_;
  std::shared_ptr<const CredentialStore> store_;
  std::shared_ptr<const hadoop::rpc::Credentials> credentials_;
  hadoop::rpc::RetryLimits limits_;
  std::optional<Result<ClientLogin>> kerberos_;
  std::unique_ptr<hadoop::yarn::ResourceManager> rm_;
  std::unique_ptr<hadoop::hdfs::FileSystem> files_;
};

// Returns the path of a temporary file in the directory of `path`, with a random hidden name.
std::string TemporaryBeside(const std::string& path);

// Reads the rest of a file and passes it to on_piece in pieces of at most 1 MiB. If on_piece returns an error, stops
// reading and returns that error.
Status ReadPieces(hadoop::hdfs::Reader& reader, const std::function<Status(std::string_view piece)>& on_piece);
// Returns the content of a file of at most 256 MiB.
Result<std::string> ReadWhole(hadoop::hdfs::FileSystem& files, const std::string& path,
                              size_t limit = size_t{256} << 20);
// Replaces the file atomically, even while other processes write it, too.
Status WriteWhole(hadoop::hdfs::FileSystem& files, const std::string& path, std::string_view bytes,
                  uint32_t permission);

}  // namespace howdah::backend::yarn
