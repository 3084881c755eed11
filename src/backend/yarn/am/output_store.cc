#include <unistd.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <set>

#include "container_environment.h"
#include "howdah/backend/yarn/am/agent.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/backend/yarn/layout.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr size_t kBlock = size_t{1} << 20;
constexpr int64_t kMostOfLog = int64_t{64} << 20;  // of a file that is stored because its node leaves
constexpr char kLogOfAttempt[] = "attempt-";  // the names of these files begin so (executor::TaskOptions::flat_logs)

// most: the end of a larger file is stored.
Status StoreFile(hadoop::hdfs::FileSystem& files, const std::string& from, const std::string& to,
                 int64_t most = INT64_MAX) {
  HOWDAH_TRY(const auto file, os::files::OpenRegular(from));
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size < 0 || ::lseek(file.get(), std::max<off_t>(0, size - most), SEEK_SET) < 0) {
    return os::files::SystemError("reading " + from);
  }
  hadoop::hdfs::CreateOptions options;
  options.permission = 0600;
  options.overwrite = true;
  HOWDAH_TRY(const auto writer, files.Create(to, options));
  std::string block(kBlock, '\0');
  for (;;) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os::files::SystemError("reading " + from);
    if (got == 0) return writer->Close();
    HOWDAH_TRY_STATUS(writer->Write(std::string_view(block.data(), static_cast<size_t>(got))));
  }
}

// The home directory of the job's owner in the cluster's file system, accessed with the credentials of this container.
struct Home {
  std::unique_ptr<HadoopClient> cluster;
  hadoop::hdfs::FileSystem* files = nullptr;  // belongs to `cluster`
  Layout layout;
};

Result<Home> OpenHome(const hadoop::conf::Environment& environment) {
  HOWDAH_TRY(auto credentials, OwnCredentials(environment));
  HOWDAH_TRY(auto configuration, ReadStagedConfiguration(environment, kConfiguration));
  HOWDAH_TRY(const std::string owner, os::files::ReadFile(kOwnerFile));
  auto cluster = std::make_unique<HadoopClient>(std::move(configuration), owner,
                                                std::make_shared<const CredentialStore>(std::move(credentials)));
  HOWDAH_TRY(hadoop::hdfs::FileSystem* const files, cluster->Files());
  HOWDAH_TRY(auto layout, cluster->StagingLayout());
  return Home{std::move(cluster), files, std::move(layout)};
}

}  // namespace

Status StoreOutputs(const hadoop::conf::Environment& environment, const JobId& id, const std::string& task,
                    const std::string& work_dir, const std::vector<std::string>& paths) {
  HOWDAH_TRY(const auto home, OpenHome(environment));
  const std::string root = home.layout.outputs(id) + "/" + task;
  std::set<std::string> made;
  for (const std::string& path : paths) {
    const size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? root : root + "/" + path.substr(0, slash);
    if (made.insert(directory).second) {
      HOWDAH_TRY_STATUS(home.files->MakeDirectories(directory, 0700));
    }
    HOWDAH_TRY_STATUS(StoreFile(*home.files, work_dir + "/" + path, root + "/" + path));
  }
  return {};
}

Status StoreLogs(const hadoop::conf::Environment& environment, const JobId& id, bool node_leaves) {
  if (!node_leaves && !HasNewerTokens()) return {};
  HOWDAH_TRY(const auto container, ReadContainerEnvironment(environment.variable));
  HOWDAH_TRY(const auto home, OpenHome(environment));
  HOWDAH_TRY(const bool aggregates, home.cluster->configuration().Bool("yarn.log-aggregation-enable", false));
  if (!node_leaves && !aggregates) return {};  // the files remain on the node
  const std::string root = home.layout.logs(id) + "/" + hadoop::yarn::ToText(container.container);
  HOWDAH_TRY_STATUS(home.files->MakeDirectories(root, 0700));
  for (const std::string& directory : container.log_dirs) {
    HOWDAH_TRY(const auto names, os::files::ListDirectory(directory));
    for (const std::string& name : names) {
      if (!name.starts_with(kLogOfAttempt)) continue;
      HOWDAH_TRY_STATUS(
          StoreFile(*home.files, directory + "/" + name, root + "/" + name, node_leaves ? kMostOfLog : INT64_MAX));
    }
  }
  return {};
}

Status StoreResult(const hadoop::conf::Environment& environment, const JobId& id, const std::string& name,
                   const std::string& file) {
  HOWDAH_TRY(const auto home, OpenHome(environment));
  const std::string to = home.layout.results(id) + "/" + name;
  HOWDAH_TRY_STATUS(home.files->MakeDirectories(to.substr(0, to.rfind('/')), 0700));
  return StoreFile(*home.files, file, to);
}

}  // namespace howdah::backend::yarn::am
