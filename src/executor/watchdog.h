// Detects an attempt that hangs, and samples where its processes are.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "activity_monitor.h"
#include "am_connection.h"
#include "howdah/os/process/clock.h"
#include "log_files.h"
#include "stack_sampler.h"

namespace howdah::executor {

// An attempt hangs if it shows no activity for the role's `timeouts.progress`. Its stacks are sampled, written to its
// stderr, and reported once; whether the task restarts is up to the AM. When another task hangs, the AM stops this one
// with a probe: its stacks are sampled and reported before the stop signal, so that the job's reason can say where
// every task was.
class Watchdog {
 public:
  struct Handlers {
    std::function<void()> send_progress;               // before a hang is reported
    std::function<void(const wire::Stop& stop)> stop;  // after a probe
  };
  Watchdog(boost::asio::io_context& loop, const os::process::Clock& clock, AmConnection& am, Handlers handlers);

  struct Target {
    int attempt = 0;
    std::vector<LogFiles> logs;     // by local rank
    std::string path;               // PATH of the processes
    std::optional<Duration> limit;  // nullopt: the role may be inactive forever
  };
  void Begin(Target target);
  void End();

  struct Measurements {
    double cpu_seconds = 0;
    const std::vector<os::process::GpuUsage>& gpus;
    std::optional<Instant> last_progress;
  };
  // With every heartbeat, until the attempt is stopped. pids: by local rank.
  void Check(const std::vector<pid_t>& pids, const Measurements& measurements);
  // A probe under way is not started again.
  void ProbeThenStop(const std::vector<pid_t>& pids, const wire::Stop& stop);
  // The attempt is being stopped without a probe.
  void CancelProbe();

 private:
  void SampleStacks(const std::vector<pid_t>& pids, const std::string& why);
  void OnSampled(const std::string& where);
  void ReportHang(const std::string& where);

  const os::process::Clock& clock_;
  AmConnection& am_;
  Handlers handlers_;
  Target target_;
  ActivityMonitor activity_;
  StackSampler stacks_;
  bool hung_ = false;
  std::optional<wire::Stop> stop_after_probe_;
  boost::asio::steady_timer probe_limit_;
};

}  // namespace howdah::executor
