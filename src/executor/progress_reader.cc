#include "progress_reader.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/files/outputs.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;

constexpr size_t kReadPiece = 64 << 10;
constexpr size_t kLongestLine = 200;
constexpr auto kPause = 50ms;
constexpr auto kPollWithoutEvents = 1s;  // the interval if the user has no inotify instance left

}  // namespace

std::string ProgressFile(const std::string& work_dir, int attempt, int local_rank) {
  return os::files::ProgressDirectory(work_dir) + "/" + std::to_string(attempt) + "-" + std::to_string(local_rank);
}

ProgressReader::ProgressReader(boost::asio::io_context& loop, const os::process::Clock& clock, Handlers handlers,
                               std::chrono::milliseconds unwatched)
    : handlers_(std::move(handlers)), clock_(clock), unwatched_(unwatched), events_(loop), pause_(loop) {}

Status ProgressReader::Begin(const std::string& work_dir, int attempt, int processes) {
  files_.clear();
  progress_.reset();
  last_.reset();
  invalid_reported_ = false;
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(os::files::ProgressDirectory(work_dir)));
  for (int rank = 0; rank < processes; ++rank) {
    File& file = files_.emplace_back();
    file.path = ProgressFile(work_dir, attempt, rank);
    HOWDAH_TRY(file.fd, os::files::OpenOrMakeRegular(file.path, 0644));
  }
  watch_from_ = clock_.Now() + unwatched_;
  Watch();
  return {};
}

// Uses one-shot watches, so that a process that writes a million times per second causes only one event per pause.
void ProgressReader::Watch() {
  if (clock_.Now() < watch_from_) {
    Read();
    return Pause(kPause);
  }
  if (!events_.is_open()) {
    const int fd = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd >= 0) events_.assign(fd);
  }
  DrainEvents();
  bool watched = events_.is_open();
  for (File& file : files_) {
    if (!watched) break;
    file.watch = ::inotify_add_watch(events_.native_handle(), file.path.c_str(), IN_MODIFY | IN_ONESHOT);
    watched = file.watch >= 0 || errno == ENOENT;  // the task may have removed the file
  }
  Read();  // read lines that were written before the watch began
  if (!watched) return Pause(kPollWithoutEvents);
  events_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error) return;
    Read();
    Pause(kPause);
  });
}

void ProgressReader::DrainEvents() {
  std::array<char, 4096> events;
  while (::read(events_.native_handle(), events.data(), events.size()) > 0) {
  }
}

void ProgressReader::Pause(std::chrono::milliseconds pause) {
  pause_.expires_after(pause);
  pause_.async_wait([this](const boost::system::error_code& error) {
    if (!error && !files_.empty()) Watch();
  });
}

void ProgressReader::Read() {
  for (size_t rank = 0; rank < files_.size(); ++rank) {
    while (ReadPiece(static_cast<int>(rank), files_[rank])) {
    }
  }
}

void ProgressReader::End() {
  Read();
  // This call fails for a one-shot watch that an event has already removed. The failure is ignored.
  for (const File& file : files_) ::inotify_rm_watch(events_.native_handle(), file.watch);
  files_.clear();
  if (events_.is_open()) events_.cancel();
  pause_.cancel();
}

bool ProgressReader::ReadPiece(int local_rank, File& file) {
  struct stat info {};
  // If the file is smaller than the read offset, the process has truncated it by writing with `>` instead of `>>`.
  if (::fstat(file.fd.get(), &info) == 0 && info.st_size < file.offset) {
    file.offset = 0;
    file.line.clear();
  }
  std::array<char, kReadPiece> piece;
  const ssize_t size = ::pread(file.fd.get(), piece.data(), piece.size(), file.offset);
  if (size <= 0) return false;
  file.offset += size;
  std::string_view bytes(piece.data(), static_cast<size_t>(size));
  for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    file.line += bytes.substr(0, std::min(end, kLongestLine));
    OnLine(local_rank, file, file.line);
    file.line.clear();
    file.too_long = false;
    bytes.remove_prefix(end + 1);
  }
  if (!file.too_long) file.line += bytes.substr(0, kLongestLine);
  file.too_long = file.line.size() >= kLongestLine;
  return static_cast<size_t>(size) == piece.size();
}

void ProgressReader::OnCheckpoint(File& file, int64_t step) {
  progress_->checkpoint = step;
  progress_->checkpoint_at = *last_;
  if (!file.saving_since) return;
  ++file.cost.count;
  file.cost.time += *last_ - *file.saving_since;
  file.saving_since.reset();
  if (!progress_->checkpoint_cost || file.cost.count >= progress_->checkpoint_cost->count)
    progress_->checkpoint_cost = file.cost;
}

void ProgressReader::OnLine(int local_rank, File& file, std::string_view line) {
  const auto parsed = file.too_long ? std::nullopt : core::ParseProgressLine(line);
  if (!parsed) {
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!blank && !std::exchange(invalid_reported_, true))
      handlers_.on_invalid(local_rank, std::string(line.substr(0, kLongestLine)));
    return;
  }
  last_ = clock_.Now();
  const bool is_measurement =
      parsed->kind == core::ProgressLine::Kind::kInput || parsed->kind == core::ProgressLine::Kind::kMetric;
  if (is_measurement) return handlers_.on_line(local_rank, *parsed);
  if (!progress_) progress_.emplace();
  progress_->at = *last_;
  if (parsed->kind == core::ProgressLine::Kind::kCheckpoint) OnCheckpoint(file, parsed->step);
  if (parsed->kind == core::ProgressLine::Kind::kSaving && !file.saving_since) file.saving_since = *last_;
  if (parsed->kind == core::ProgressLine::Kind::kSteps) {
    progress_->steps = std::max(progress_->steps.value_or(0), parsed->step);
  }
  if (parsed->kind == core::ProgressLine::Kind::kStep) {
    file.step = parsed->step;
    progress_->step = parsed->step;
    for (const File& other : files_) progress_->step = std::min(*progress_->step, other.step.value_or(parsed->step));
  }
  handlers_.on_line(local_rank, *parsed);
}

}  // namespace howdah::executor
