// Reports the progress of an attempt to the AM.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>

#include "am_connection.h"
#include "howdah/os/process/clock.h"
#include "progress_reader.h"

namespace howdah::executor {

// A checkpoint is sent at once, because a restart may depend on it; steps wait for the next heartbeat.
class ProgressReporter {
 public:
  // extend_grace: a process reports that it is still saving; returns whether the grace of a stop was extended.
  ProgressReporter(boost::asio::io_context& loop, const os::process::Clock& clock, AmConnection& am,
                   std::function<bool()> extend_grace);

  // Creates the files of an attempt.
  Status Begin(const std::string& work_dir, int attempt, int processes);
  // Reads what the processes have written so far and sends it.
  void ReadAndSend();
  // Sends what has changed since the last message.
  void Send();
  void AddTo(wire::Heartbeat& heartbeat);
  // Reads the rest. The last progress of an attempt is a report: the next AM receives it, too.
  void End();
  // The AM is a new one.
  void SendAgain() { sent_.reset(); }

  // When the newest line was read; nullopt: none yet.
  std::optional<Instant> last_line() const { return reader_.last(); }

 private:
  void OnLine(core::ProgressLine::Kind kind);
  void OnInvalidLine(int local_rank, const std::string& line);
  bool changed() const { return reader_.progress() && reader_.progress() != sent_; }
  void Fill(wire::Progress& progress);

  AmConnection& am_;
  std::function<bool()> extend_grace_;
  ProgressReader reader_;
  int attempt_ = 0;
  std::optional<core::TaskProgress> sent_;
};

}  // namespace howdah::executor
