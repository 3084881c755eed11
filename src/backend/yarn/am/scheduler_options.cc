#include "scheduler_options.h"

#include <chrono>

namespace howdah::backend::yarn::am {

hadoop::yarn::SchedulerOptions SchedulerOptionsOf(const hadoop::conf::Configuration& configuration,
                                                  const HostPort& am) {
  hadoop::yarn::SchedulerOptions options;
  options.host = am.host;
  if (am.port != 0) options.rpc_port = am.port;
  const auto expiry = configuration.Time("yarn.am.liveness-monitor.expiry-interval-ms", std::chrono::minutes(10));
  if (expiry.ok()) options.expiry = *expiry;
  const auto ports = configuration.Bool("yarn.scheduler.include-port-in-node-name", false);
  options.allocation.ports_in_names = ports.ok() && *ports;
  return options;
}

}  // namespace howdah::backend::yarn::am
