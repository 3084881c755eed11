#include "local_follow.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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
constexpr Duration kShortestPause = std::chrono::milliseconds(2), kLongestPause = std::chrono::milliseconds(200);
constexpr Duration kPausePerOutput = std::chrono::microseconds(200);  // a poll takes some 10 us for each output
constexpr uint32_t kDirectoryEvents = IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_ONLYDIR;

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Makes the epoll instance readable while `fd` is readable.
bool Await(const os::files::Fd& epoll, const os::files::Fd& fd) {
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  return epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd.get(), &wanted) == 0;
}

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
                         std::function<void()> end_orphan, Duration poll_for)
    : files_(files),
      selection_(std::move(logs)),
      end_orphan_(std::move(end_orphan)),
      poll_for_(poll_for),
      ready_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      lock_(open(files_.am_lock().c_str(), O_RDWR | O_CLOEXEC)),
      journal_(files.journal()) {}

Result<std::unique_ptr<LocalFollow>> LocalFollow::Start(const JobFiles& files,
                                                        std::optional<backend::LogSelection> logs,
                                                        std::function<void()> end_orphan, Duration poll_for) {
  std::unique_ptr<LocalFollow> follow(new LocalFollow(files, std::move(logs), std::move(end_orphan), poll_for));
  if (!Await(follow->ready_, follow->timer_)) return os::files::SystemError("following " + files.directory());
  follow->Poll();
  // Files that are found later are new, and are delivered from their beginning.
  if (follow->selection_) follow->selection_->tail_lines.reset();
  follow->Arm(true);
  return follow;
}

// Looks at everything that may have changed, or begins to watch it.
void LocalFollow::Poll() {
  if (final_seen_) return;
  if (access(files_.journal().c_str(), F_OK) != 0 && errno == ENOENT) final_seen_ = true;  // the job was deleted
  if (polled_ >= poll_for_) WatchJob();
  journal_grew_ = lock_closed_ = true;
  if (outputs_.empty()) FindLogs();
}

// Changes nothing if the user has too many inotify instances or watches.
void LocalFollow::WatchJob() {
  Watches watches{.events = os::files::Fd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK))};
  const int events = watches.events.get();
  watches.job = inotify_add_watch(events, files_.directory().c_str(), kDirectoryEvents | IN_DELETE);
  if (watches.job < 0 || !Await(ready_, watches.events)) return;
  if (lock_.valid()) watches.lock = inotify_add_watch(events, files_.am_lock().c_str(), IN_CLOSE);
  watches_ = std::move(watches);
}

void LocalFollow::FindLogs() {
  if (selection_) FindIn(files_.logs(), std::nullopt);
}

void LocalFollow::FindIn(const std::string& path, const std::optional<LogPosition>& position) {
  const int watch = polling() ? -1 : inotify_add_watch(watches_.events.get(), path.c_str(), kDirectoryEvents);
  if (watch >= 0) watches_.logs[watch] = {path, position};
  const auto names = os::files::ListDirectory(path);
  if (!names.ok()) return;  // the directory is not created yet, or was deleted
  for (const std::string& name : *names) Found({path, position}, name);
}

// Called for a file or directory below logs/ that is new or may have grown.
void LocalFollow::Found(const Directory& directory, const std::string& name) {
  const auto position = Descend(directory.position, name);
  if (!position || !Matches(*selection_, *position)) return;
  const std::string path = directory.path + "/" + name;
  if (position->kind != LogPosition::Kind::kFile) return FindIn(path, position);
  outputs_.Enqueue(path, position->source, selection_->tail_lines);
}

void LocalFollow::ReadEvents() {
  alignas(inotify_event) char bytes[size_t{64} << 10];
  for (;;) {
    const ssize_t size = read(watches_.events.get(), bytes, sizeof bytes);
    if (size <= 0) return;
    for (const char* at = bytes; at < bytes + size;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof event);
      const std::string name(event.len > 0 ? at + sizeof event : "");
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        journal_grew_ = lock_closed_ = true;
        FindLogs();
      } else if (event.wd == watches_.job && (event.mask & IN_DELETE) != 0) {
        if (name == BaseName(files_.journal())) final_seen_ = true;  // the job's directory was deleted
      } else if (event.wd == watches_.job) {
        if (name == BaseName(files_.journal())) journal_grew_ = true;
        if (name == BaseName(files_.logs())) FindLogs();
      } else if (event.wd == watches_.lock) {
        lock_closed_ = true;
      } else if ((event.mask & IN_IGNORED) != 0) {
        watches_.logs.erase(event.wd);
      } else if (const auto watch = watches_.logs.find(event.wd); watch != watches_.logs.end() && !name.empty()) {
        Found(Directory(watch->second), name);
      }
    }
  }
}

bool LocalFollow::ReadJournal(backend::FollowSink& sink) {
  journal_grew_ = false;
  bool had_lines = false;
  const auto more = journal_.ReadLines([&](std::string_view line) {
    had_lines = true;
    const auto entry = journal::DecodeEntry(line);
    if (!entry || final_seen_) return;
    final_seen_ = journal::EndsJob(*entry);
    sink.OnEntry(*entry);
  });
  journal_grew_ = more.ok() && *more;
  if (final_seen_) FindLogs();  // no process of the job is running any more, so this listing is complete
  return had_lines || journal_grew_;
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
  if (polling()) {
    Poll();
  } else {
    ReadEvents();
  }
  if (lock_closed_ && !final_seen_) EndIfOrphaned();
  const bool had_entries = journal_grew_ && !final_seen_ && ReadJournal(sink);
  // After delivering entries, ask for another call: output that was written before these entries must still be
  // delivered.
  const bool more = outputs_.Deliver(sink) || had_entries;
  Arm(more);
  return more;
}

void LocalFollow::Arm(bool now) {
  itimerspec when{};  // zero disarms the timer
  if (now) {
    when.it_value.tv_nsec = 1;
  } else if (polling()) {
    const Duration pause = Pause();
    polled_ += pause;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(pause);
    when.it_value.tv_sec = seconds.count();
    when.it_value.tv_nsec = std::chrono::nanoseconds(pause - seconds).count();
  }
  timerfd_settime(timer_.get(), 0, &when, nullptr);
}

Duration LocalFollow::Pause() const {
  const Duration growing = std::clamp(polled_ / 20, kShortestPause, kLongestPause);
  return std::max(growing, kPausePerOutput * static_cast<int64_t>(outputs_.known()));
}

}  // namespace howdah::backend::local
