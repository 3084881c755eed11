// Reports the progress of an attempt to the AM.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>

#include "am_connection.h"
#include "howdah/os/process/clock.h"
#include "progress_reader.h"
#include "ready_probe.h"

namespace howdah::executor {

// Reports readiness once, and a checkpoint immediately, because a restart may depend on it. Reports steps with the next
// heartbeat.
class ProgressReporter {
 public:
  // extend_grace is called when a process reports that it is still saving. It returns whether it has extended the grace
  // of a stop that is in progress. on_line is called for every line.
  ProgressReporter(boost::asio::io_context& loop, const os::process::Clock& clock, AmConnection& am,
                   std::function<bool()> extend_grace,
                   std::function<void(int local_rank, const core::ProgressLine& line)> on_line);

  // Creates the files of an attempt.
  Status Begin(const std::string& work_dir, int attempt, int processes);
  // Probes until the attempt is ready, and reports that.
  void Probe(ProbeTarget target, const jobspec::Ready& ready);
  // Reads what the processes have written so far and sends it.
  void ReadAndSend();
  // Sends the progress if it has changed since the last message.
  void Send();
  void AddTo(wire::Heartbeat& heartbeat);
  // Reads the rest of the files. Sends the last progress of an attempt as a report, so that the next AM receives it,
  // too.
  void End();
  // Sends the progress again, because the AM may be a new one.
  void SendAgain() { sent_.reset(); }

  // When the newest valid line was read; nullopt before the first one.
  std::optional<Instant> last_line() const { return reader_.last(); }

 private:
  void OnLine(int local_rank, const core::ProgressLine& line);
  void OnInvalidLine(int local_rank, const std::string& line);
  bool changed() const { return reader_.progress() && reader_.progress() != sent_; }
  void Fill(wire::Progress& progress);

  AmConnection& am_;
  std::function<bool()> extend_grace_;
  std::function<void(int local_rank, const core::ProgressLine& line)> on_line_;
  ProgressReader reader_;
  ReadyProbe ready_probe_;
  int attempt_ = 0;
  std::optional<core::TaskProgress> sent_;
};

}  // namespace howdah::executor
