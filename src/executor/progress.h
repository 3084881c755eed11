// What the task's processes write into the files HOWDAH_PROGRESS.
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

// Where the processes of an attempt write: a file a local rank, below the working directory.
std::string ProgressFile(const std::string& work_dir, int attempt, int local_rank);

// On the executor's loop. Woken by inotify, and not more often than every few tens of milliseconds however much is
// written; memory is bounded by a piece and a line a process. A line that makes no sense is left out.
class ProgressReader {
 public:
  struct Handlers {
    std::function<void(core::ProgressLine::Kind kind)> on_line;      // progress() has it
    std::function<void(int local_rank, const std::string&)> on_bad;  // the first line of an attempt that makes no sense
  };
  ProgressReader(boost::asio::io_context& loop, Handlers handlers);

  // Makes the files of an attempt, and begins anew with them.
  Status Begin(const std::string& work_dir, int attempt, int processes);
  // Reads what has been written by now.
  void Read();
  // Reads the rest; nothing more is read until the next Begin.
  void End();

  // Of the attempt; nullopt: it has said nothing.
  const std::optional<core::TaskProgress>& progress() const { return progress_; }
  // When its newest line was read.
  std::optional<Instant> last() const { return last_; }

 private:
  struct File {
    std::string path;
    os::files::Fd fd;
    int64_t offset = 0;
    std::string line;       // that has no end yet
    bool too_long = false;  // the rest of it is left out
    std::optional<int64_t> step;
  };
  void Watch();
  void Pause(std::chrono::milliseconds pause);
  bool ReadPiece(int local_rank, File& file);
  void Take(int local_rank, File& file, std::string_view line);

  Handlers handlers_;
  os::process::Clock clock_;
  std::vector<File> files_;  // by local rank
  std::optional<core::TaskProgress> progress_;
  std::optional<Instant> last_;
  bool said_ = false;                             // that there was a bad line
  boost::asio::posix::stream_descriptor events_;  // inotify
  boost::asio::steady_timer pause_;
};

}  // namespace howdah::executor
