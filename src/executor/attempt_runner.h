// Runs the attempts of the task, one after the other.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "am_connection.h"
#include "attempt.h"
#include "failure_diagnosis.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/ports.h"
#include "launch.h"
#include "log_server.h"
#include "progress_reporter.h"
#include "start_order.h"
#include "task_usage.h"
#include "watchdog.h"

namespace howdah::executor {

// The executor's parts that an attempt uses.
struct TaskContext {
  boost::asio::io_context& loop;
  const os::process::Clock& clock;
  const TaskPlan& plan;
  AmConnection& am;
  LogServer& logs;
  TaskUsage& usage;
};

//  idle --Start--> pending ---working directory ready---> running --Stop--> stopping ---> idle
//
// Attempts are numbered; an order for an older attempt than the newest is answered or ignored, never followed. The AM
// receives Started, a RankExited for each process, and Ended once nothing is left of the attempt; or StartFailed.
//
// On the executor's loop.
class AttemptRunner {
 public:
  // port: plan.port. on_idle: the running attempt has ended and was reported.
  AttemptRunner(const TaskContext& context, os::process::PortReservation port, std::function<void()> on_idle);

  void Start(const wire::Start& start, const wire::Cluster& cluster);
  void Stop(const wire::Stop& stop);
  // Stops the running attempt, whatever its number.
  void Stop(Duration grace, Duration limit);
  // Drops a start order that waits for the working directory.
  void DropPending() { pending_.reset(); }
  // filled: an error fails every attempt.
  void OnWorkDirectory(const Status& filled);
  // Appends lines to a process's own stdout.
  void Print(const wire::Print& print);
  // Measures, and fills in what is sent regularly.
  void FillHeartbeat(wire::Heartbeat& heartbeat);
  // After a heartbeat was sent.
  void CheckForHang(const wire::Usage& usage);
  // A new AM has registered this executor.
  void OnRegistered() { progress_.SendAgain(); }

  void OnReaped(const std::vector<os::process::Reaped>& children);

  // A command of `howdah exec` in the environment of the running attempt; nullopt: none is running.
  std::optional<Launch> PrepareCommand(const jobspec::Command& command) const;
  // A process that such a command has started.
  void OnCommandStarted(pid_t pid);

  bool running() const { return attempt_ != nullptr; }
  // The newest attempt that was started or failed to start; -1: none.
  int newest() const { return newest_; }

 private:
  void StartAttempt(StartOrder order);
  void BeginWatching(const Variables& environment);
  // Starts the processes. false: one of them could not be started, and failure_ is set.
  bool StartRanks();
  void FailStart(const ProcessSlot& slot, const StartProblem& problem);
  void OnRankExited(int local_rank, const ExitStatus& status);
  void AddExports(int local_rank, wire::RankExited& exited);
  void OnAttemptEnded();
  void ReportStarted(Instant at);
  void ReportEnded(int attempt);

  TaskContext context_;
  os::process::PortReservation port_;
  std::function<void()> on_idle_;
  std::optional<Status> work_directory_;       // once it was filled, or could not be
  std::optional<StartOrder> pending_;          // waits for the working directory
  std::unique_ptr<Attempt> attempt_;           // while it runs
  StartOrder order_;                           // of the newest attempt that was started
  std::optional<wire::FromExecutor> failure_;  // of the start; reported once what did start is gone
  int newest_ = -1;
  FailureDiagnosis diagnosis_;
  ProgressReporter progress_;
  Watchdog watchdog_;
};

}  // namespace howdah::executor
