// The executor of a task: does what the AM orders and tells what happens. It decides nothing about the job.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "attempt.h"
#include "gpu_sampler.h"
#include "howdah/base/exit_status.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/kernel_log.h"
#include "howdah/os/process/ports.h"
#include "howdah/os/process/usage.h"
#include "howdah/rpc/callback/callback.h"
#include "howdah/rpc/executor_link.h"
#include "launch.h"
#include "liveness.h"
#include "log_server.h"
#include "progress.h"
#include "samples.h"
#include "stacks.h"
#include "tunnels.h"

namespace howdah::executor {

// How the executor reaches its AM: the real link, or a test's.
using Connect = std::function<std::unique_ptr<rpc::ExecutorLink>(const std::string& am_address, rpc::Post post,
                                                                 rpc::ExecutorLink::Handlers handlers, Duration limit)>;
using MakeChannelTo =
    std::function<Result<std::unique_ptr<rpc::FrameChannel>>(const std::string& am_address, rpc::Post post)>;

// One loop, one thread; a second one copies files while the connection is made, and ends with that. The process is a
// subreaper with SIGCHLD blocked, its parent is the guardian. Every child is reaped here, on SIGCHLD: a process that
// re-parents to us announces itself no other way.
class Executor {
 public:
  Executor(const TaskOptions& options, os::process::PortReservation port, pid_t guardian, MakeChannelTo make_channel);
  ~Executor();

  // Connects and registers; the answer is not waited for.
  Status Attach(Connect connect);
  // Reads what the task is, and has its working directory filled.
  Status Prepare();
  // Until the AM lets it go (0), or it cannot go on (1). Nothing of the task is left then.
  int Run();

 private:
  // A Start that has been told of, until the working directory is there.
  struct PendingStart {
    RankPlace place;
    Surroundings surroundings;
  };

  // What is told to us.
  void OnMessage(const wire::ToExecutor& message);
  void OnStart(const wire::Start& start, const wire::Cluster& cluster);
  void OnStop(const wire::Stop& stop);
  void OnPrint(const wire::Print& print);
  void OnLeave(const wire::Leave& leave);
  void OnClosed(const std::string& why);
  // Registers with the AM, and says again what it may not have heard.
  void Register();
  // For the AM, or one after it, as long as the job file says.
  void AwaitAm(const std::string& why);
  // How long it is still awaited.
  Duration AwaitedFor() const;
  // One after it listens there.
  void OnCallback(const std::string& am_address);
  void OnWorkspace(const Status& filled);
  [[noreturn]] void OnGuardianGone();
  void OnChildren();
  void OnRankExited(int local_rank, const ExitStatus& status);
  void OnAttemptEnded();
  void OnHeartbeatDue();

  void OnProgressLine(core::ProgressLine::Kind kind);
  void SeeWhereItStands(const std::string& why);
  void StopAfterLook(const wire::Stop& stop);
  void OnStands(int attempt, const std::string& where);
  void SendStalled(const std::string& where);

  // What we do.
  void StartAttempt(const PendingStart& start);
  // Starts the processes; false: one could not be, and failure_ says why.
  bool StartRanks(const PendingStart& start);
  void FailStart(const RankPlace& place, const StartProblem& problem, const std::string& path);
  void AddExports(int local_rank, wire::RankExited& exited);
  void SendStarted(Instant at);
  void SendEnded(int attempt);
  void Finish(int exit_code);
  // Stays for those who read the logs.
  void Linger(Duration limit);
  void WatchChildren();
  void WatchGuardian();
  void ScheduleHeartbeat();
  void FillUsage(wire::Usage& usage);
  // What is to be told of progress: nothing if it has not changed since.
  void FillProgress(wire::Progress& progress);
  bool ProgressChanged() const { return progress_.progress() && progress_.progress() != progress_told_; }
  void SendProgress();
  void BeginWatching();
  void EndWatching();
  void LookForLife(const wire::Usage& usage);
  void Send(const wire::FromExecutor& message);
  // Of an attempt: said again to whoever takes over from the AM.
  void Report(wire::FromExecutor message);

  boost::asio::io_context loop_{1};
  os::process::Clock clock_;
  TaskPlan plan_;
  os::process::PortReservation port_;
  bool servers_bind_held_port_ = true;
  std::optional<os::process::PortReservation> tensorboard_port_;
  Connect connect_;
  std::unique_ptr<rpc::ExecutorLink> link_;
  bool connected_ = false;
  std::string host_;                    // where the other tasks reach this one
  Duration await_am_{0};                // how long to go on without an AM
  std::optional<Instant> alone_since_;  // the AM was lost then
  std::unique_ptr<rpc::callback::CallbackListener> callback_;
  std::vector<wire::FromExecutor> reports_;  // what became of the newest attempt, for an AM that did not hear it

  std::thread filling_;
  std::optional<Status> workspace_;  // once it is filled, or could not be
  std::optional<PendingStart> pending_;

  std::unique_ptr<Attempt> attempt_;  // while it runs
  RankPlace place_;                   // of the attempt, local rank 0
  Surroundings surroundings_;         // of the attempt
  std::string path_;                  // PATH of its processes
  os::process::OomCounts oom_before_;
  os::process::KernelLog kernel_log_;          // since the attempt began
  std::optional<wire::FromExecutor> failure_;  // the attempt could not be started; told once what did start is gone
  int last_attempt_ = -1;                      // the newest that was started or could not be

  os::process::UsageMeter meter_;
  Samples memory_;  // with each heartbeat, while an attempt runs
  std::unique_ptr<GpuSampler> gpus_;
  std::optional<std::chrono::milliseconds> heartbeat_;
  boost::asio::steady_timer heartbeat_timer_;
  boost::asio::posix::stream_descriptor children_;  // signalfd: SIGCHLD
  boost::asio::posix::stream_descriptor guardian_;  // pidfd

  ProgressReader progress_;
  std::optional<core::TaskProgress> progress_told_;
  Liveness liveness_;
  Stacks stacks_{loop_};
  bool stalled_ = false;                       // the attempt shows no sign of life, and that has been noticed
  std::optional<wire::Stop> stop_after_look_;  // until it is known where the attempt stands
  boost::asio::steady_timer look_limit_{loop_};

  LogServer logs_{loop_, [this](const wire::FromExecutor& message) { Send(message); }};
  Tunnels tunnels_;
  bool lingering_ = false;  // once it is to end, and only logs are read any more

  std::optional<int> exit_code_;  // once it is to end
  boost::asio::steady_timer farewell_;
};

// The AM's table of endpoints; nullopt: it is not one of this job, or `task` is not in it.
std::optional<core::PeerGroup> ReadCluster(const wire::Cluster& cluster, const jobspec::JobSpec& spec, TaskId task);

// What it says that other roles have handed on to `task`.
jobspec::EnvVars ReadExports(const wire::Cluster& cluster, const jobspec::JobSpec& spec, TaskId task);

}  // namespace howdah::executor
