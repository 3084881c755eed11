#include "output_store.h"

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

// Copies the rest of an open file, and closes the copy. path: that of the file, for errors.
Status CopyRest(int file, const std::string& path, hadoop::hdfs::Writer& to) {
  std::string block(kBlock, '\0');
  for (;;) {
    const ssize_t got = ::read(file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os::files::SystemError("reading " + path);
    if (got == 0) return to.Close();
    HOWDAH_TRY_STATUS(to.Write(std::string_view(block.data(), static_cast<size_t>(got))));
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

// Reports to clients the files that could not be stored, or removes the report of an earlier container of the task.
void ReportMissing(hadoop::hdfs::FileSystem& files, const std::string& root, const Status& stored) {
  const std::string path = root + "/" + kNotStored;
  if (stored.ok()) return (void)files.Delete(path, /*recursive=*/false);
  if (!files.MakeDirectories(root, 0700).ok()) return;
  const auto writer = files.Create(path, {.permission = 0600, .overwrite = true});
  if (writer.ok() && (*writer)->Write(stored.error().message).ok()) (void)(*writer)->Close();
}

// Returns a new path in the directory of the job, which is deleted at the end of the job.
std::string TemporaryOf(const Home& home, const JobId& id) { return TemporaryBeside(home.layout.outputs(id)); }

}  // namespace

Status StoreFile(hadoop::hdfs::FileSystem& files, const std::string& from, const std::string& temporary,
                 const std::string& to, int64_t most) {
  HOWDAH_TRY(const auto file, os::files::OpenRegular(from));
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size < 0 || ::lseek(file.get(), std::max<off_t>(0, size - most), SEEK_SET) < 0) {
    return os::files::SystemError("reading " + from);
  }
  hadoop::hdfs::CreateOptions options;
  options.permission = 0600;
  HOWDAH_TRY(const auto writer, files.Create(temporary, options));
  HOWDAH_TRY_STATUS(CopyRest(file.get(), from, *writer));
  const Status renamed = files.Rename(temporary, to, /*overwrite=*/true);
  if (!renamed.ok()) (void)files.Delete(temporary, /*recursive=*/false);  // the first error matters
  return renamed;
}

Status StoreEach(const std::vector<std::string>& files, const std::function<Status(const std::string& file)>& store) {
  Error first;
  size_t missing = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    const Status stored = store(files[i]);
    if (stored.ok()) continue;
    if (missing++ == 0) first = stored.error().While(files[i]);
    const ErrorCode code = stored.error().code;
    if (code != ErrorCode::kUnavailable && code != ErrorCode::kTimeout) continue;
    missing += files.size() - i - 1;  // these would fail in the same way, each after the same retries
    break;
  }
  if (missing == 0) return {};
  first.message = std::to_string(missing) + " of " + std::to_string(files.size()) +
                  " files could not be stored; the first is " + first.message;
  return first;
}

Status StoreOutputs(const hadoop::conf::Environment& environment, const JobId& id, const std::string& task,
                    const std::string& work_dir, const std::vector<std::string>& paths) {
  HOWDAH_TRY(const auto home, OpenHome(environment));
  const std::string root = home.layout.outputs(id) + "/" + task;
  std::set<std::string> made;
  const Status stored = StoreEach(paths, [&](const std::string& path) -> Status {
    const std::string to = root + "/" + StoredName(path), directory = to.substr(0, to.rfind('/'));
    if (!made.contains(directory)) HOWDAH_TRY_STATUS(home.files->MakeDirectories(directory, 0700));
    made.insert(directory);
    return StoreFile(*home.files, work_dir + "/" + path, TemporaryOf(home, id), to);
  });
  ReportMissing(*home.files, root, stored);
  return stored;
}

Status StoreLogs(const hadoop::conf::Environment& environment, const JobId& id, bool node_leaves) {
  if (!node_leaves && !HasNewerTokens()) return {};
  HOWDAH_TRY(const auto container, ReadContainerEnvironment(environment.variable));
  HOWDAH_TRY(const auto home, OpenHome(environment));
  HOWDAH_TRY(const bool aggregates, home.cluster->configuration().Bool("yarn.log-aggregation-enable", false));
  if (!node_leaves && !aggregates) return {};  // the files remain on the node
  const std::string root = home.layout.logs(id) + "/" + hadoop::yarn::ToText(container.container);
  HOWDAH_TRY_STATUS(home.files->MakeDirectories(root, 0700));
  std::vector<std::string> logs;
  for (const std::string& directory : container.log_dirs) {
    HOWDAH_TRY(const auto names, os::files::ListDirectory(directory));
    for (const std::string& name : names) {
      if (name.starts_with(kLogOfAttempt)) logs.push_back(directory + "/" + name);
    }
  }
  return StoreEach(logs, [&](const std::string& log) {
    return StoreFile(*home.files, log, TemporaryOf(home, id), root + log.substr(log.rfind('/')),
                     node_leaves ? kMostOfLog : INT64_MAX);
  });
}

Status StoreResult(const hadoop::conf::Environment& environment, const JobId& id, const std::string& name,
                   const std::string& file) {
  HOWDAH_TRY(const auto home, OpenHome(environment));
  const std::string to = home.layout.results(id) + "/" + name;
  HOWDAH_TRY_STATUS(home.files->MakeDirectories(to.substr(0, to.rfind('/')), 0700));
  return StoreFile(*home.files, file, TemporaryOf(home, id), to);
}

}  // namespace howdah::backend::yarn::am
