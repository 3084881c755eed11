// The cluster as one client sees it: its configuration, who asks, and the connections, made when they are needed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/backend/yarn/layout.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "howdah/hadoop/hdfs/open.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/yarn/resource_manager.h"

namespace howdah::backend::yarn {

// One thread. A thread of one's own takes a HadoopClient of its own (Another).
class HadoopClient {
 public:
  // For a person, who waits seconds for a ResourceManager and not minutes. user: if HADOOP_USER_NAME does not name
  // another.
  static Result<HadoopClient> Open(const hadoop::conf::Surroundings& surroundings, const std::string& user);
  // limits: of calls to the ResourceManager.
  HadoopClient(hadoop::conf::Configuration configuration, std::string user, hadoop::rpc::Credentials credentials,
               hadoop::rpc::RetryLimits limits = {})
      : configuration_(std::move(configuration)),
        user_(std::move(user)),
        credentials_(std::move(credentials)),
        limits_(limits) {}
  HadoopClient WithOwnConnections() const { return HadoopClient(configuration_, user_, credentials_, limits_); }

  const hadoop::conf::Configuration& configuration() const { return configuration_; }
  const std::string& user() const { return user_; }
  const hadoop::rpc::Credentials& credentials() const { return credentials_; }
  hadoop::hdfs::OpenOptions open_options() const;

  Result<hadoop::yarn::ResourceManager*> Rm();
  // The default file system, and where we keep things in it.
  Result<hadoop::hdfs::FileSystem*> Files();
  Result<Layout> StagingLayout();
  // The content of a small file there.
  Result<std::string> ReadFile(const std::string& path);
  Status WriteFile(const std::string& path, std::string_view bytes, uint32_t permission);

 private:
  hadoop::conf::Configuration configuration_;
  std::string user_;
  hadoop::rpc::Credentials credentials_;
  hadoop::rpc::RetryLimits limits_;
  std::unique_ptr<hadoop::yarn::ResourceManager> rm_;
  std::unique_ptr<hadoop::hdfs::FileSystem> files_;
};

// A hidden name in the directory of a file, which no other writer has.
std::string TemporaryBeside(const std::string& path);

// The whole content of a file, at most 256 MiB.
Result<std::string> ReadWhole(hadoop::hdfs::FileSystem& files, const std::string& path);
// Replaces what is there; whoever reads finds the old content or the new, whoever else writes it at the same time.
Status WriteWhole(hadoop::hdfs::FileSystem& files, const std::string& path, std::string_view bytes,
                  uint32_t permission);

}  // namespace howdah::backend::yarn
