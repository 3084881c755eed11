// The executor of a task. It carries out the AM's orders and reports what happens. It makes no decision about the job.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "am_connection.h"
#include "attempt_runner.h"
#include "guardian.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/ports.h"
#include "launch.h"
#include "log_server.h"
#include "metric_sampler.h"
#include "output_store.h"
#include "remote_streams.h"
#include "task_feeds.h"
#include "task_setup.h"

namespace howdah::executor {

using MakeChannelTo =
    std::function<Result<std::unique_ptr<rpc::FrameChannel>>(const std::string& am_address, rpc::Post post)>;

// Connects the parts: AmConnection (the stream to the AM), AttemptRunner (the processes of the task, with Watchdog),
// TaskFeeds, LogServer and RemoteStreams. Ends the process when the AM is lost or the guardian has died.
//
// The executor has one loop on one thread. A second thread fills the working directory while the executor connects to
// the AM. The process is a child of the guardian, and a subreaper with SIGCHLD blocked. It reaps every child on
// SIGCHLD, because nothing else announces the end of a process that was re-parented to the executor.
class Executor {
 public:
  Executor(const TaskOptions& options, os::process::PortReservation port, const Guardian& guardian, Connect connect,
           MakeChannelTo make_channel);

  // Connects to the AM and registers. Does not wait for the answer.
  Status Register();
  // Reads the job file and begins to fill the working directory.
  Status Prepare();
  // Returns the exit status of the process: 0 after the AM's Leave, 1 if the executor cannot continue. When it returns,
  // no process of the task is left.
  int Run();

 private:
  void ShowTurn();
  void OnMessage(const wire::ToExecutor& message);
  void OnLeave(const wire::Leave& leave);
  void OnRegistered();
  void ReplaceTokens(const std::string& tokens);
  void OnHeartbeatDue();
  void OnAmMoved();
  void OnAmLost(const std::string& why);
  void OnAttemptEnded();
  void WatchChildren();
  void ReapChildren();
  void WatchGuardian();
  [[noreturn]] void OnGuardianGone();
  // Prepares the exit with this code, unless another exit was prepared: from now on, no attempt is started.
  void BeginExit(int exit_code);
  // Keeps serving the logs for at most `limit`.
  void Linger(Duration limit);
  // Stores the outputs of the task. Calls after that end the loop once the queued messages were sent.
  void Finish();

  boost::asio::io_context loop_{1};
  os::process::Clock clock_;
  TaskPlan plan_;
  TaskSetup setup_{loop_};
  OutputStore outputs_{loop_};
  AmConnection am_;
  LogServer logs_;
  MetricSampler metrics_;
  TaskFeeds feeds_;
  AttemptRunner runner_;
  RemoteStreams streams_;
  boost::asio::posix::stream_descriptor children_;  // a signalfd for SIGCHLD
  boost::asio::posix::stream_descriptor guardian_;  // a pidfd of the guardian
  struct {
    const os::process::LoopPulse& pulse;
    boost::asio::steady_timer timer;
  } turns_;  // reports turns of the loop to the guardian
  struct {
    std::optional<int> exit_code;  // set once the executor must exit
    bool lingering;                // the executor only serves logs until it exits
    boost::asio::steady_timer farewell;
  } leaving_;
};

}  // namespace howdah::executor
