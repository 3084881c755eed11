#include "log_server.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "howdah/os/files/open_regular.h"
#include "log_files.h"

namespace howdah::executor {
namespace {

constexpr int64_t kPiece = 64 << 10;
// The limits of the interval between two reports. Growth after a pause is reported after the shortest interval. While a
// task writes without pause, the interval increases, so that a thousand such tasks do not overload their AM. Reports
// need not be frequent: a client that follows the log receives the size with every piece.
constexpr std::chrono::milliseconds kShortest{10}, kLongest{160};
constexpr std::chrono::milliseconds kWithoutEvents{200};  // the interval if no inotify instance or watch is available

std::optional<int64_t> SizeOf(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return info.st_size;
}

void Read(const std::string& path, const wire::PullLog& pull, wire::LogData& data) {
  // The task may have replaced its log, for example by a named pipe.
  const auto file = os::files::OpenRegular(path);
  struct stat info {};
  if (!file.ok() || ::fstat(file->get(), &info) != 0) return;
  const int64_t max = std::clamp<int64_t>(pull.max(), 0, kPiece);
  const int64_t offset = pull.tail() ? std::max<int64_t>(0, info.st_size - max) : pull.offset();
  data.set_offset(offset);
  data.set_size(info.st_size);
  std::string& bytes = *data.mutable_bytes();
  const bool is_valid = offset >= 0 && offset <= info.st_size;
  bytes.resize(is_valid ? static_cast<size_t>(std::min<int64_t>(info.st_size - offset, max)) : 0);
  const ssize_t size = ::pread(file->get(), bytes.data(), bytes.size(), is_valid ? offset : 0);
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
}

}  // namespace

LogServer::LogServer(boost::asio::io_context& loop, Send send)
    : send_(std::move(send)), events_(loop), pause_(loop), interval_(kShortest) {}

void LogServer::Begin(const TaskOptions& options, int processes) {
  options_ = options;
  processes_ = processes;
}

std::vector<LogServer::File> LogServer::FilesOf(int attempt) const {
  std::vector<File> files;
  for (int rank = 0; rank < processes_; ++rank) {
    LogFiles paths = LogFilesOf(options_, processes_, attempt, rank);
    for (const bool is_stderr : {false, true}) {
      File& file = files.emplace_back();
      file.id.set_attempt(attempt);
      file.id.set_local_rank(rank);
      file.id.set_is_stderr(is_stderr);
      file.path = std::move(is_stderr ? paths.err : paths.out);
    }
  }
  return files;
}

void LogServer::AddAttempt(int attempt) {
  if (watching_) ReportGrowth();  // report the growth of the previous attempt's files before they are replaced
  attempts_.push_back(attempt);
  newest_ = FilesOf(attempt);
}

void LogServer::OnFilesMade() {
  if (watching_) Watch();
}

void LogServer::AddSizes(int attempt, google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes) const {
  for (const File& file : FilesOf(attempt)) {
    const auto size = SizeOf(file.path);
    if (!size) continue;
    wire::LogFileSize& entry = *sizes.Add();
    *entry.mutable_file() = file.id;
    entry.set_size(*size);
  }
}

void LogServer::OnWatch(bool on) {
  watching_ = on;
  pause_.cancel();
  events_.close();
  if (!on) return;
  for (File& file : newest_) file.reported = -1;
  ReportAll();
  Watch();
}

void LogServer::ReportAll() {
  wire::FromExecutor message;
  wire::LogSizes& sizes = *message.mutable_log_sizes();
  sizes.set_all(true);
  for (const int attempt : attempts_) AddSizes(attempt, *sizes.mutable_sizes());
  send_(message);
}

bool LogServer::ReportGrowth() {
  wire::FromExecutor message;
  for (File& file : newest_) {
    const auto size = SizeOf(file.path);
    if (!size || *size == file.reported) continue;
    file.reported = *size;
    wire::LogFileSize& entry = *message.mutable_log_sizes()->add_sizes();
    *entry.mutable_file() = file.id;
    entry.set_size(*size);
  }
  if (message.has_log_sizes()) send_(message);
  return message.has_log_sizes();
}

// Uses one-shot watches, so that a task that writes a million times per second causes only one event per interval.
void LogServer::Watch() {
  pause_.cancel();
  if (!events_.is_open()) {
    const int fd = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd >= 0) events_.assign(fd);
  }
  bool watched = events_.is_open();
  for (const File& file : newest_) {
    if (!watched) break;
    const int watch = ::inotify_add_watch(events_.native_handle(), file.path.c_str(), IN_MODIFY | IN_ONESHOT);
    watched = watch >= 0 || errno == ENOENT;  // the file of a rank that failed to start does not exist
  }
  interval_ = ReportGrowth() ? std::min(interval_ * 2, kLongest) : kShortest;
  if (!watched) return Pause(kWithoutEvents);
  events_.cancel();
  AwaitGrowth();
}

void LogServer::AwaitGrowth() {
  events_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error || !watching_) return;
    alignas(inotify_event) char events[4096];
    while (::read(events_.native_handle(), events, sizeof events) > 0) {
    }
    ReportGrowth();
    Pause(interval_);
  });
}

void LogServer::Pause(std::chrono::milliseconds pause) {
  pause_.expires_after(pause);
  pause_.async_wait([this](const boost::system::error_code& error) {
    if (!error && watching_) Watch();
  });
}

void LogServer::OnPull(const wire::PullLog& pull) {
  pulls_.push_back(pull);
  Answer();
}

void LogServer::OnSent() {
  answering_ = false;
  Answer();
}

std::optional<std::string> LogServer::PathOf(const wire::LogFile& file) const {
  if (std::find(attempts_.begin(), attempts_.end(), file.attempt()) == attempts_.end()) return std::nullopt;
  if (file.local_rank() < 0 || file.local_rank() >= processes_) return std::nullopt;
  LogFiles paths = LogFilesOf(options_, processes_, file.attempt(), file.local_rank());
  return std::move(file.is_stderr() ? paths.err : paths.out);
}

void LogServer::Answer() {
  if (answering_ || pulls_.empty()) return;
  const wire::PullLog pull = std::move(pulls_.front());
  pulls_.pop_front();
  wire::FromExecutor message;
  wire::LogData& data = *message.mutable_log_data();
  data.set_tag(pull.tag());
  if (const auto path = PathOf(pull.file())) Read(*path, pull, data);
  answering_ = true;
  send_(message);
}

}  // namespace howdah::executor
