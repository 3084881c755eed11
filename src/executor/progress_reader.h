// Reads the progress lines that the task's processes write to the files named by HOWDAH_PROGRESS.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/core/progress.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/clock.h"

namespace howdah::executor {

// Returns the path of the progress file of one local rank of an attempt. The directory of these files is created with
// the first attempt.
std::string ProgressFile(const std::string& work_dir, int attempt, int local_rank);

// Reads at most once per 50 ms, however much is written. Polls every 50 ms at the beginning of an attempt, and uses
// inotify afterwards: the kernel needs 5 to 20 ms to destroy an inotify instance, also when its process exits, which
// would delay the end of a short task and of a job that waits for it. Memory is bounded: one read buffer, and one
// incomplete line per process. Invalid lines are ignored. Used on the executor's loop only.
class ProgressReader {
 public:
  // The time after the start of an attempt during which the reader polls instead of using inotify.
  static constexpr std::chrono::milliseconds kUnwatched{1000};

  struct Handlers {
    // Called for each line, after progress() was updated.
    std::function<void(int local_rank, const core::ProgressLine& line)> on_line;
    // Called for the first invalid line of an attempt.
    std::function<void(int local_rank, const std::string&)> on_invalid;
  };
  ProgressReader(boost::asio::io_context& loop, const os::process::Clock& clock, Handlers handlers,
                 std::chrono::milliseconds unwatched = kUnwatched);

  // Call it when an attempt starts. Creates its files.
  Status Begin(const std::string& work_dir, int attempt, int processes);
  // Reads everything that has been written so far.
  void Read();
  // Reads the rest of the files. Nothing more is read until the next Begin.
  void End();

  // The attempt's progress, with the lowest step of its processes; nullopt before the first line about steps or
  // checkpoints.
  const std::optional<core::TaskProgress>& progress() const { return progress_; }
  // When the newest valid line was read.
  std::optional<Instant> last() const { return last_; }

 private:
  struct File {
    std::string path;
    os::files::Fd fd;
    int watch = -1;  // the inotify watch of the file; -1 if there is none
    int64_t offset = 0;
    std::string line;       // the incomplete last line
    bool too_long = false;  // the rest of the line is discarded
    std::optional<int64_t> step;
    std::optional<Instant> saving_since;  // the time of the first `checkpointing` line since the last checkpoint
    core::CheckpointCost cost;
  };
  void Watch();
  void DrainEvents();
  void Pause(std::chrono::milliseconds pause);
  bool ReadPiece(int local_rank, File& file);
  void OnLine(int local_rank, File& file, std::string_view line);
  void OnCheckpoint(File& file, int64_t step);

  Handlers handlers_;
  const os::process::Clock& clock_;
  std::vector<File> files_;  // indexed by local rank
  std::optional<core::TaskProgress> progress_;
  std::optional<Instant> last_;
  bool invalid_reported_ = false;
  const std::chrono::milliseconds unwatched_;
  Instant watch_from_;
  // inotify. It is kept open until the reader is destroyed, so that a restart does not wait until the kernel has closed
  // it. End() removes only the watches, which does not delay the caller.
  boost::asio::posix::stream_descriptor events_;
  boost::asio::steady_timer pause_;
};

}  // namespace howdah::executor
