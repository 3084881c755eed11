// Reads what the task's processes write to the files HOWDAH_PROGRESS.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/core/progress.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/clock.h"

namespace howdah::executor {

// The file of one local rank of an attempt.
std::string ProgressFile(const std::string& work_dir, int attempt, int local_rank);

// Woken by inotify, at most every few tens of milliseconds however much is written. Memory is bounded by one piece, and
// one line per process. Invalid lines are ignored. On the executor's loop.
class ProgressReader {
 public:
  struct Handlers {
    std::function<void(core::ProgressLine::Kind kind)> on_line;          // progress() includes it
    std::function<void(int local_rank, const std::string&)> on_invalid;  // the first invalid line of an attempt
  };
  ProgressReader(boost::asio::io_context& loop, const os::process::Clock& clock, Handlers handlers);

  // An attempt starts: makes its files.
  Status Begin(const std::string& work_dir, int attempt, int processes);
  // Reads what has been written so far.
  void Read();
  // Reads the rest; nothing more is read until the next Begin.
  void End();

  // The attempt's progress, with the lowest step of its processes. nullopt: no valid line yet.
  const std::optional<core::TaskProgress>& progress() const { return progress_; }
  // When its newest line was read.
  std::optional<Instant> last() const { return last_; }

 private:
  struct File {
    std::string path;
    os::files::Fd fd;
    int64_t offset = 0;
    std::string line;       // incomplete
    bool too_long = false;  // the rest of the line is dropped
    std::optional<int64_t> step;
  };
  void Watch();
  void Pause(std::chrono::milliseconds pause);
  bool ReadPiece(int local_rank, File& file);
  void OnLine(int local_rank, File& file, std::string_view line);

  Handlers handlers_;
  const os::process::Clock& clock_;
  std::vector<File> files_;  // by local rank
  std::optional<core::TaskProgress> progress_;
  std::optional<Instant> last_;
  bool invalid_reported_ = false;
  boost::asio::posix::stream_descriptor events_;  // inotify
  boost::asio::steady_timer pause_;
};

}  // namespace howdah::executor
