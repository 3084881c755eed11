// The executor of a task: carries out the AM's orders and reports what happens. It decides nothing about the job.
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
#include "howdah/os/process/clock.h"
#include "howdah/os/process/ports.h"
#include "launch.h"
#include "log_server.h"
#include "remote_streams.h"
#include "task_setup.h"
#include "task_usage.h"

namespace howdah::executor {

using MakeChannelTo =
    std::function<Result<std::unique_ptr<rpc::FrameChannel>>(const std::string& am_address, rpc::Post post)>;

// Wires the parts: AmConnection (the stream to the AM), AttemptRunner (the processes of the task; with Watchdog), logs
// and remote streams; ends the process when the AM or the guardian is gone.
//
// One loop, one thread; a second thread fills the working directory while the connection is made. The process is a
// subreaper with SIGCHLD blocked, its parent is the guardian. Every child is reaped here on SIGCHLD, because a process
// that is re-parented to the executor announces its end in no other way.
class Executor {
 public:
  Executor(const TaskOptions& options, os::process::PortReservation port, pid_t guardian, Connect connect,
           MakeChannelTo make_channel);

  // Connects to the AM and registers; does not wait for the answer.
  Status Register();
  // Reads the job and begins to fill the working directory.
  Status Prepare();
  // Returns the exit status of the process: 0 once the AM lets the executor go, 1 if it cannot go on. Nothing of the
  // task is left then.
  int Run();

 private:
  void OnMessage(const wire::ToExecutor& message);
  void OnLeave(const wire::Leave& leave);
  void OnHeartbeatDue();
  void OnAmMoved();
  void OnAmLost(const std::string& why);
  void OnAttemptEnded();
  void WatchChildren();
  void ReapChildren();
  void WatchGuardian();
  [[noreturn]] void OnGuardianGone();
  // Nothing is started or awaited any more.
  void BeginExit(int exit_code);
  // Stays to serve the logs.
  void Linger(Duration limit);
  // Leaves once what is queued was sent.
  void Finish();

  boost::asio::io_context loop_{1};
  os::process::Clock clock_;
  TaskPlan plan_;
  TaskSetup setup_{loop_};
  AmConnection am_;
  LogServer logs_;
  TaskUsage usage_{loop_};
  AttemptRunner runner_;
  RemoteStreams streams_;
  boost::asio::posix::stream_descriptor children_;  // signalfd: SIGCHLD
  boost::asio::posix::stream_descriptor guardian_;  // pidfd
  std::optional<int> exit_code_;                    // once the executor is to exit
  bool lingering_ = false;                          // only logs are served until it exits
  boost::asio::steady_timer farewell_;
};

}  // namespace howdah::executor
