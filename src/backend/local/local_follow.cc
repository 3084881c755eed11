#include "local_follow.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "howdah/journal/job_end.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/last_lines.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::backend::local {
namespace {

constexpr size_t kChunk = size_t{128} << 10;  // the most that is read from one file before reading the next file
constexpr size_t kOutputPerRead = size_t{1} << 20;
constexpr uint32_t kDirectoryEvents = IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_ONLYDIR;

Error WatchError(const std::string& doing) {
  Error error = os::files::SystemError(doing);
  error.code = ErrorCode::kUnavailable;
  if (errno == EMFILE) error.message += "; too many programs watch files: raise fs.inotify.max_user_instances (sysctl)";
  if (errno == ENOSPC)
    error.message += "; too many directories are watched: raise fs.inotify.max_user_watches (sysctl)";
  return error;
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

OutputReader::OutputReader() : buffer_(kChunk, '\0') {}

void OutputReader::Enqueue(const std::string& path, const backend::LogSource& source,
                           std::optional<int64_t> tail_lines) {
  const auto [known, is_new] = by_path_.try_emplace(path, outputs_.size());
  if (is_new) outputs_.push_back({source, path, 0, tail_lines});
  if (std::exchange(outputs_[known->second].queued, true)) return;
  queue_.push_back(known->second);
}

bool OutputReader::Deliver(backend::FollowSink& sink) {
  for (size_t delivered = 0; !queue_.empty() && delivered < kOutputPerRead; delivered += kChunk) {
    const size_t next = queue_.front();
    queue_.pop_front();
    outputs_[next].queued = DeliverChunk(outputs_[next], sink);
    if (outputs_[next].queued) queue_.push_back(next);
  }
  return !queue_.empty();
}

bool OutputReader::DeliverChunk(Output& output, backend::FollowSink& sink) {
  // The task may have replaced its log, for example by a named pipe.
  const auto file = os::files::OpenRegular(output.path);
  if (!file.ok()) return false;
  if (const auto lines = std::exchange(output.tail_lines, std::nullopt)) {
    if (const auto found = os::files::OffsetOfLastLines(file->get(), *lines); found.ok()) output.offset = *found;
  }
  const ssize_t size = pread(file->get(), buffer_.data(), buffer_.size(), output.offset);
  if (size <= 0) return false;
  output.offset += size;
  sink.OnLog(output.source, std::string_view(buffer_.data(), static_cast<size_t>(size)));
  return static_cast<size_t>(size) == buffer_.size();
}

LocalFollow::LocalFollow(const JobFiles& files, std::optional<backend::LogSelection> logs,
                         std::function<void()> end_orphan)
    : files_(files), selection_(std::move(logs)), end_orphan_(std::move(end_orphan)), journal_(files.journal()) {}

Result<std::unique_ptr<LocalFollow>> LocalFollow::Start(const JobFiles& files,
                                                        std::optional<backend::LogSelection> logs,
                                                        std::function<void()> end_orphan) {
  std::unique_ptr<LocalFollow> follow(new LocalFollow(files, std::move(logs), std::move(end_orphan)));
  HOWDAH_TRY_STATUS(follow->WatchJob());
  follow->WatchLogs();
  // Files that are found later are new, and are delivered from their beginning.
  if (follow->selection_) follow->selection_->tail_lines.reset();
  follow->SetMore(true);
  return follow;
}

howdah::Status LocalFollow::WatchJob() {
  lock_ = os::files::Fd(open(files_.am_lock().c_str(), O_RDWR | O_CLOEXEC));
  events_ = os::files::Fd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events_.valid()) return WatchError("following " + files_.directory());
  more_ = os::files::Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  ready_ = os::files::Fd(epoll_create1(EPOLL_CLOEXEC));
  if (!more_.valid() || !ready_.valid()) return os::files::SystemError("following " + files_.directory());
  for (const int fd : {events_.get(), more_.get()}) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    if (epoll_ctl(ready_.get(), EPOLL_CTL_ADD, fd, &wanted) != 0) {
      return os::files::SystemError("following " + files_.directory());
    }
  }
  job_watch_ = inotify_add_watch(events_.get(), files_.directory().c_str(), kDirectoryEvents | IN_DELETE);
  if (job_watch_ < 0) return WatchError("following " + files_.directory());
  if (lock_.valid()) lock_watch_ = inotify_add_watch(events_.get(), files_.am_lock().c_str(), IN_CLOSE);
  return {};
}

void LocalFollow::WatchLogs() {
  if (selection_) WatchDirectory(files_.logs(), std::nullopt);
}

void LocalFollow::WatchDirectory(const std::string& path, const std::optional<LogPosition>& position) {
  const int watch = inotify_add_watch(events_.get(), path.c_str(), kDirectoryEvents);
  if (watch >= 0) watches_[watch] = {path, position};
  ListDirectory(path, position);
}

void LocalFollow::ListDirectory(const std::string& path, const std::optional<LogPosition>& position) {
  const auto names = os::files::ListDirectory(path);
  if (!names.ok()) return;  // the directory is not created yet, or was deleted
  for (const std::string& name : *names) Found({path, position}, name);
}

// Called for a file or directory below logs/ that is new or has grown.
void LocalFollow::Found(const Directory& directory, const std::string& name) {
  const auto position = Descend(directory.position, name);
  if (!position || !Matches(*selection_, *position)) return;
  const std::string path = directory.path + "/" + name;
  if (position->kind != LogPosition::Kind::kFile) return WatchDirectory(path, position);
  outputs_.Enqueue(path, position->source, selection_->tail_lines);
}

void LocalFollow::ReadEvents() {
  alignas(inotify_event) char bytes[size_t{64} << 10];
  for (;;) {
    const ssize_t size = read(events_.get(), bytes, sizeof bytes);
    if (size <= 0) return;
    for (const char* at = bytes; at < bytes + size;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof event);
      const std::string name(event.len > 0 ? at + sizeof event : "");
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        journal_grew_ = lock_closed_ = true;
        WatchLogs();
      } else if (event.wd == job_watch_ && (event.mask & IN_DELETE) != 0) {
        if (name == BaseName(files_.journal())) final_seen_ = true;  // the job's directory was deleted
      } else if (event.wd == job_watch_) {
        if (name == BaseName(files_.journal())) journal_grew_ = true;
        if (name == BaseName(files_.logs())) WatchLogs();
      } else if (event.wd == lock_watch_) {
        lock_closed_ = true;
      } else if ((event.mask & IN_IGNORED) != 0) {
        watches_.erase(event.wd);
      } else if (const auto watch = watches_.find(event.wd); watch != watches_.end() && !name.empty()) {
        Found(Directory(watch->second), name);
      }
    }
  }
}

void LocalFollow::ReadJournal(backend::FollowSink& sink) {
  journal_grew_ = false;
  const auto more = journal_.ReadLines([&](std::string_view line) {
    const auto entry = journal::DecodeEntry(line);
    if (!entry || final_seen_) return;
    final_seen_ = journal::EndsJob(*entry);
    sink.OnEntry(*entry);
  });
  journal_grew_ = more.ok() && *more;
  if (final_seen_) WatchLogs();  // no process of the job is running any more, so this listing is complete
}

// Called when a process has closed am.lock. If no process holds the lock any more, end_orphan_ records an end unless
// the journal has one.
void LocalFollow::EndIfOrphaned() {
  lock_closed_ = false;
  if (!lock_.valid() || flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) return;
  end_orphan_();
  journal_grew_ = true;
  flock(lock_.get(), LOCK_UN);
}

bool LocalFollow::Read(backend::FollowSink& sink) {
  ReadEvents();
  if (lock_closed_ && !final_seen_) EndIfOrphaned();
  const bool had_entries = journal_grew_ && !final_seen_;
  if (had_entries) ReadJournal(sink);
  // After delivering entries, ask for another call: output that was written before these entries must still be
  // delivered.
  const bool more = outputs_.Deliver(sink) || had_entries;
  SetMore(more);
  return more;
}

void LocalFollow::SetMore(bool more) {
  uint64_t count = 1;
  // The call fails if the counter already has the desired state, so its result is ignored.
  const ssize_t done = more ? write(more_.get(), &count, sizeof count) : read(more_.get(), &count, sizeof count);
  static_cast<void>(done);
}

}  // namespace howdah::backend::local
