#include "stored_outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"

namespace howdah::backend::yarn::client {
namespace {

class Fetcher {
 public:
  Fetcher(hadoop::hdfs::FileSystem& files, std::string stored, std::string directory)
      : files_(files), stored_(std::move(stored)), directory_(std::move(directory)) {}

  // Copies the files below a directory, whose path is relative to the stored outputs. Names come from the file system,
  // which allows neither "/" nor "..".
  Status CopyDirectory(const std::string& path) {
    const std::string from = stored_ + "/" + path, to = directory_ + "/" + OriginalName(path);
    HOWDAH_TRY(const auto entries, files_.List(from));
    HOWDAH_TRY_STATUS(os::files::MakeDirectories(to));
    for (const hadoop::hdfs::FileStatus& entry : entries) {
      const std::string below = path + "/" + entry.name;
      const bool problem = entry.name == kNotStored;
      HOWDAH_TRY_STATUS(problem ? ReadProblem(path) : entry.directory ? CopyDirectory(below) : CopyFile(below));
    }
    return {};
  }

  Cluster::FetchedOutputs fetched;

 private:
  Status CopyFile(const std::string& path) {
    const std::string to = directory_ + "/" + OriginalName(path);
    HOWDAH_TRY(const auto reader, files_.Open(stored_ + "/" + path));
    ::unlink(to.c_str());  // do not write through an existing link
    const os::files::Fd file(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file.valid()) return os::files::SystemError("writing " + to);
    HOWDAH_TRY_STATUS(ReadPieces(*reader, [&](std::string_view piece) {
      fetched.bytes += static_cast<int64_t>(piece.size());
      return os::files::WriteAll(file.get(), piece, to);
    }));
    ++fetched.files;
    fetched.paths.push_back(OriginalName(path));
    return {};
  }

  // task: ROLE-INDEX.
  Status ReadProblem(const std::string& task) {
    HOWDAH_TRY(const auto reader, files_.Open(stored_ + "/" + task + "/" + kNotStored));
    std::string& problem = fetched.problems.emplace_back(task + ": ");
    return ReadPieces(*reader, [&](std::string_view piece) {
      problem += piece;
      return Status();
    });
  }

  hadoop::hdfs::FileSystem& files_;
  const std::string stored_, directory_;
};

}  // namespace

Result<Cluster::FetchedOutputs> FetchStoredOutputs(HadoopClient& cluster, const JobId& id,
                                                   const std::string& directory) {
  HOWDAH_TRY(const auto files, cluster.Files());
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  Cluster::FetchedOutputs all;
  for (const std::string& stored : {layout.outputs(id), layout.history_outputs(id)}) {
    const auto tasks = files->List(stored);
    if (!tasks.ok() && tasks.error().code == ErrorCode::kNotFound) continue;
    if (!tasks.ok()) return tasks.error();
    Fetcher fetcher(*files, stored, directory);
    for (const hadoop::hdfs::FileStatus& task : *tasks) HOWDAH_TRY_STATUS(fetcher.CopyDirectory(task.name));
    all.tasks += static_cast<int64_t>(tasks->size());
    all.files += fetcher.fetched.files;
    all.bytes += fetcher.fetched.bytes;
    all.paths.insert(all.paths.end(), fetcher.fetched.paths.begin(), fetcher.fetched.paths.end());
    all.problems.insert(all.problems.end(), fetcher.fetched.problems.begin(), fetcher.fetched.problems.end());
  }
  return all;
}

Result<std::string> ReadStoredResult(HadoopClient& cluster, const JobId& id, const std::string& name) {
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  auto running = cluster.ReadFile(layout.results(id) + "/" + name);
  if (running.ok() || running.error().code != ErrorCode::kNotFound) return running;
  return cluster.ReadFile(layout.history_results(id) + "/" + name);
}

}  // namespace howdah::backend::yarn::client
