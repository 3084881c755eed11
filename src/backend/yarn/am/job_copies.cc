#include "job_copies.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <utility>

#include "container_environment.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr Duration kMetricsInterval = std::chrono::minutes(5);
constexpr Duration kMinPause = std::chrono::seconds(1);
constexpr int kPausePerCopyTime = 10;
constexpr size_t kPiece = size_t{1} << 20;

struct GrowingFile {
  os::files::Fd fd;
  int64_t size = 0;  // the size when the file was opened
};

Result<GrowingFile> OpenGrowing(const std::string& path) {
  GrowingFile file{os::files::Fd(open(path.c_str(), O_RDONLY | O_CLOEXEC)), 0};
  if (!file.fd.valid()) return os::files::SystemError("opening " + path);
  file.size = lseek(file.fd.get(), 0, SEEK_END);
  if (file.size < 0) return os::files::SystemError("opening " + path);
  return file;
}

// Replaces the file at `path` in the cluster's file system with the first `from.size` bytes of a local file. Copies in
// pieces, because the event log of a long job may be larger than the memory of its AM.
Status StoreBeginning(HadoopClient& cluster, const GrowingFile& from, const std::string& path) {
  HOWDAH_TRY(const auto files, cluster.Files());
  const std::string temporary = TemporaryBeside(path);
  hadoop::hdfs::CreateOptions options;
  options.permission = 0600;
  HOWDAH_TRY(const auto writer, files->Create(temporary, options));
  std::string piece(kPiece, '\0');
  for (int64_t done = 0; done < from.size;) {
    const size_t want = std::min(kPiece, static_cast<size_t>(from.size - done));
    const ssize_t count = pread(from.fd.get(), piece.data(), want, done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return os::files::SystemError("reading the local copy of " + path, count == 0 ? EIO : errno);
    HOWDAH_TRY_STATUS(writer->Write(std::string_view(piece).substr(0, static_cast<size_t>(count))));
    done += count;
  }
  HOWDAH_TRY_STATUS(writer->Close());
  const Status renamed = files->Rename(temporary, path, /*overwrite=*/true);
  if (renamed.ok()) return renamed;
  const Status removed = files->Delete(temporary, /*recursive=*/false);
  return removed.ok() ? renamed : removed;
}

}  // namespace

std::vector<FileState> StatesOf(const JobFiles& files) {
  std::vector<std::string> paths = {files.journal, files.event_log};
  paths.insert(paths.end(), files.feed_logs.begin(), files.feed_logs.end());
  std::vector<FileState> states;
  for (const std::string& path : paths) {
    struct stat found {};
    FileState& state = states.emplace_back();
    if (stat(path.c_str(), &found) != 0) continue;
    state = {found.st_ino, found.st_size, found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
  }
  return states;
}

JournalCopy::JournalCopy(HadoopClient cluster, JobId id, JobFiles files)
    : cluster_(std::move(cluster)),
      id_(std::move(id)),
      files_(std::move(files)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void JournalCopy::Run(const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  std::vector<FileState> copied;
  std::string reported;
  while (!stop.stop_requested()) {
    Duration pause = kMinPause;
    if (auto present = StatesOf(files_); present != copied) {
      const auto begin = Clock::now();
      cluster_.TakeNewerCredentials();
      const Status stored = StoreJobFiles(cluster_, id_, files_);
      if (stored.ok()) {
        copied = std::move(present);
      } else if (std::exchange(reported, stored.error().message) != stored.error().message) {
        std::cerr << "storing the journal: " << reported << "; will retry\n";
      }
      pause = std::max(pause, std::chrono::duration_cast<Duration>(Clock::now() - begin) * kPausePerCopyTime);
    }
    stopped.wait_for(lock, stop, pause, [] { return false; });
  }
}

// The journal is derived from the events, so the stored journal must not be newer than the stored events. Therefore
// this determines the size of the journal first and copies the journal after the events. The logs of feeds are copied
// last, because a generation of readers that they lack can be derived from the events.
Status StoreJobFiles(HadoopClient& cluster, const JobId& id, const JobFiles& local) {
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  HOWDAH_TRY(const auto lines, OpenGrowing(local.journal));
  HOWDAH_TRY(const auto events, OpenGrowing(local.event_log));
  HOWDAH_TRY_STATUS(StoreBeginning(cluster, events, layout.am_log(id, local.event_log)));
  HOWDAH_TRY_STATUS(StoreBeginning(cluster, lines, layout.journal(id)));
  for (const std::string& log : local.feed_logs) {
    if (access(log.c_str(), F_OK) != 0) continue;  // the job has ended
    HOWDAH_TRY(const auto records, OpenGrowing(log));
    HOWDAH_TRY_STATUS(StoreBeginning(cluster, records, layout.am_log(id, log)));
  }
  return {};
}

Result<bool> FetchNewerTokens(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  const auto stored = cluster.ReadFile(layout.tokens(id));
  if (!stored.ok() && stored.error().code == ErrorCode::kNotFound) return false;
  if (!stored.ok()) return stored.error();
  HOWDAH_TRY(const auto newer, hadoop::rpc::ParseCredentials(*stored));
  const Status written = WriteNewerTokens(newer);
  return written.ok() ? Result<bool>(true) : Result<bool>(written.error());
}

Result<bool> FetchLog(HadoopClient& cluster, const JobId& id, const std::string& path) {
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  HOWDAH_TRY(const auto files, cluster.Files());
  const auto reader = files->Open(layout.am_log(id, path));
  if (!reader.ok() && reader.error().code == ErrorCode::kNotFound) return false;
  if (!reader.ok()) return reader.error();
  // Write the copy under another name first, because a later process of this container must not continue from an
  // incomplete copy.
  const std::string partial = path + ".part";
  HOWDAH_TRY_STATUS(os::files::RemoveTree(partial));
  HOWDAH_TRY(const auto local, os::files::OpenForAppend(partial, 0600));
  HOWDAH_TRY_STATUS(
      ReadPieces(**reader, [&](std::string_view piece) { return os::files::WriteAll(local.get(), piece, partial); }));
  if (rename(partial.c_str(), path.c_str()) != 0) return os::files::SystemError("writing " + path);
  return true;
}

MetricsCopy::MetricsCopy(HadoopClient cluster, JobId id, std::string path)
    : cluster_(std::move(cluster)),
      id_(std::move(id)),
      path_(std::move(path)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void MetricsCopy::Run(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  std::string reported;
  for (;;) {
    stopped.wait_for(lock, stop, kMetricsInterval, [] { return false; });
    if (stop.stop_requested()) return;
    cluster_.TakeNewerCredentials();
    const Status stored = StoreMetrics(cluster_, id_, path_);
    if (stored.ok() || std::exchange(reported, stored.error().message) == stored.error().message) continue;
    std::cerr << "storing the metrics: " << reported << "; will retry\n";
  }
}

Status StoreMetrics(HadoopClient& cluster, const JobId& id, const std::string& path) {
  const auto bytes = os::files::ReadFile(path);
  if (!bytes.ok()) return bytes.error().code == ErrorCode::kNotFound ? Status() : Status(bytes.error());
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  return cluster.WriteFile(layout.metrics(id), *bytes, 0600);
}

Status FetchMetrics(HadoopClient& cluster, const JobId& id, const std::string& path) {
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  const auto bytes = cluster.ReadFile(layout.metrics(id));
  if (!bytes.ok()) return bytes.error().code == ErrorCode::kNotFound ? Status() : Status(bytes.error());
  return os::files::WriteFileAtomically(path, *bytes, 0600);
}

}  // namespace howdah::backend::yarn::am
