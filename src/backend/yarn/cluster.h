// The cluster as one client sees it: its configuration, who asks, and the connections, made when they are needed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoopconf/configuration.h"
#include "howdah/hadooprpc/token.h"
#include "howdah/hdfs/file_system.h"
#include "howdah/hdfs/open.h"
#include "howdah/yarn/resource_manager.h"
#include "layout.h"

namespace howdah::yarnplace {

// One thread. A thread of one's own takes a Cluster of its own (Another).
class Cluster {
 public:
  // For a person, who waits seconds for a ResourceManager and not minutes. user: if HADOOP_USER_NAME does not name
  // another.
  static Result<Cluster> Open(const hadoopconf::Surroundings& surroundings, const std::string& user);
  // limits: of calls to the ResourceManager.
  Cluster(hadoopconf::Configuration configuration, std::string user, hadooprpc::Credentials credentials,
          hadooprpc::RetryLimits limits = {})
      : configuration_(std::move(configuration)),
        user_(std::move(user)),
        credentials_(std::move(credentials)),
        limits_(limits) {}
  Cluster Another() const { return Cluster(configuration_, user_, credentials_, limits_); }

  const hadoopconf::Configuration& configuration() const { return configuration_; }
  const std::string& user() const { return user_; }
  const hadooprpc::Credentials& credentials() const { return credentials_; }
  hdfs::OpenOptions open_options() const;

  Result<yarn::ResourceManager*> Rm();
  // The default file system, and where we keep things in it.
  Result<hdfs::FileSystem*> Files();
  Result<Layout> Places();
  // The content of a small file there.
  Result<std::string> ReadFile(const std::string& path);
  Status WriteFile(const std::string& path, std::string_view bytes, uint32_t permission);

 private:
  hadoopconf::Configuration configuration_;
  std::string user_;
  hadooprpc::Credentials credentials_;
  hadooprpc::RetryLimits limits_;
  std::unique_ptr<yarn::ResourceManager> rm_;
  std::unique_ptr<hdfs::FileSystem> files_;
};

// A hidden name in the directory of a file, which no other writer has.
std::string TemporaryBeside(const std::string& path);

// The whole content of a file, at most 256 MiB.
Result<std::string> ReadWhole(hdfs::FileSystem& files, const std::string& path);
// Replaces what is there; whoever reads finds the old content or the new, whoever else writes it at the same time.
Status WriteWhole(hdfs::FileSystem& files, const std::string& path, std::string_view bytes, uint32_t permission);

}  // namespace howdah::yarnplace
