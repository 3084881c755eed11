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
#include "metric_sampler.h"
#include "progress_reporter.h"
#include "result_store.h"
#include "start_order.h"
#include "task_feeds.h"
#include "task_stacks.h"
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
  MetricSampler& metrics;
  TaskFeeds& feeds;
};

//  idle --Start--> pending ---working directory ready---> running --Stop--> stopping ---> idle
//
// Attempts are numbered. An order for an attempt older than the newest one is answered or ignored, but never carried
// out. The AM receives Started, then one RankExited per process when its result is stored, then Ended when no process
// of the attempt is left. If the start fails, the AM receives StartFailed instead of all these messages.
//
// Used on the executor's loop only.
class AttemptRunner {
 public:
  // port: the reservation of plan.port. on_idle: called when the running attempt has ended and its end was reported.
  AttemptRunner(const TaskContext& context, os::process::PortReservation port, std::function<void()> on_idle);

  void Start(const wire::Start& start, const wire::Cluster& cluster);
  void Stop(const wire::Stop& stop);
  // Stops the running attempt, whatever its number.
  void Stop(Duration grace, Duration limit);
  // Discards a start order that waits for the working directory.
  void DropPending() { pending_.reset(); }
  // Call it when the working directory is ready, or could not be filled. If `filled` is an error, every attempt fails
  // to start.
  void OnWorkDirectory(const Status& filled);
  // Appends lines to the stdout file of one process.
  void Print(const wire::Print& print);
  // Measures the usage, and fills in usage and progress.
  void FillHeartbeat(wire::Heartbeat& heartbeat);
  // Call it after a heartbeat has been sent. usage: the usage in that heartbeat.
  void CheckForHang(const wire::Usage& usage);
  // Call it when the executor has registered with an AM, which may be a new AM.
  void OnRegistered() {
    progress_.SendAgain();
    context_.metrics.OnNewStream();
  }

  void OnReaped(const std::vector<os::process::Reaped>& children);

  // Prepares a command of `howdah exec` in the environment of the running attempt. Returns nullopt if no attempt is
  // running.
  std::optional<Launch> PrepareCommand(const jobspec::Command& command) const;
  // Call it with the pid of a command that PrepareCommand has prepared and that has been started.
  void OnCommandStarted(pid_t pid);
  // The running attempt for a sample of its stacks. Returns nullopt if no attempt is running.
  std::optional<StackTarget> stack_target() const;

  bool running() const { return attempt_ != nullptr; }
  // The number of the newest attempt that was ordered; -1 before the first one.
  int newest() const { return newest_; }

 private:
  // filling: how long the order waited for the working directory.
  void StartAttempt(StartOrder order, Duration filling);
  void BeginWatching(const Variables& environment);
  // Starts the processes. If one of them cannot be started, sets failure_ and returns false.
  bool StartRanks(Duration filling);
  void FailStart(const ProcessSlot& slot, const StartProblem& problem);
  void OnRankExited(int local_rank, const ExitStatus& status);
  void AddExports(int local_rank, wire::RankExited& exited);
  void ReportExit(wire::FromExecutor message, const ResultStore::Stored& result);
  void OnAttemptEnded();
  void ReportStarted(Instant at, Duration filling);
  void ReportEnded(int attempt, const std::optional<wire::LeftFiles>& left = std::nullopt);

  TaskContext context_;
  os::process::PortReservation port_;
  std::function<void()> on_idle_;
  std::optional<Status> work_directory_;  // the result of filling the directory; nullopt until it is filled
  std::optional<StartOrder> pending_;     // a start order that waits for the working directory
  Instant pending_since_;                 // the time at which pending_ was received
  std::unique_ptr<Attempt> attempt_;      // set while an attempt runs
  StartOrder order_;                      // the order of the newest attempt that was started
  // The report of a failed start. It is sent when all processes that were started have ended.
  std::optional<wire::FromExecutor> failure_;
  int newest_ = -1;
  bool ended_ = false;  // the attempt has ended, and its end will be reported when its results are stored
  ResultStore results_;
  FailureDiagnosis diagnosis_;
  ProgressReporter progress_;
  Watchdog watchdog_;
};

}  // namespace howdah::executor
