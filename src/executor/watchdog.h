// Detects an attempt that hangs, and samples the stacks of its processes.
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

// An attempt hangs if it shows no activity for the role's `timeouts.progress`. The watchdog then samples the attempt's
// stacks, writes them to its stderr, and reports the hang once. The AM decides whether the task restarts. When another
// task hangs, the AM stops this task with a probe: the watchdog samples and reports the stacks before it sends the stop
// signal. So the reason of the job's failure can include the stack location of every task.
class Watchdog {
 public:
  struct Handlers {
    std::function<void()> send_progress;               // called before a hang is reported
    std::function<void(const wire::Stop& stop)> stop;  // called when a probe has ended
  };
  Watchdog(boost::asio::io_context& loop, const os::process::Clock& clock, AmConnection& am, Handlers handlers);

  struct Target {
    int attempt = 0;
    std::vector<LogFiles> logs;     // indexed by local rank
    std::string path;               // the PATH of the attempt's processes
    std::optional<Duration> limit;  // nullopt: no limit
  };
  void Begin(Target target);
  void End();
  // The target of the newest Begin.
  const Target& target() const { return target_; }

  struct Measurements {
    double cpu_seconds = 0;
    const std::vector<os::process::GpuUsage>& gpus;
    std::optional<Instant> last_progress;
  };
  // Call it after every heartbeat until the attempt is stopped. pids: by local rank.
  void Check(const std::vector<pid_t>& pids, const Measurements& measurements);
  // Samples the stacks, then calls Handlers::stop. Does nothing if a probe is already in progress.
  void ProbeThenStop(const std::vector<pid_t>& pids, const wire::Stop& stop);
  // Call it when the attempt is stopped without a probe.
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
