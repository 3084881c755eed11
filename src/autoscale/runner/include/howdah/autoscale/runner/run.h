// Runs an autoscaler: reads the cluster and the machines every few seconds, and performs the orders of the Scaler.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "howdah/autoscale/cluster_link.h"
#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/provider.h"
#include "howdah/autoscale/runner/directory.h"
#include "howdah/autoscale/scaler.h"
#include "howdah/base/result.h"

namespace howdah::autoscale::runner {

struct RunOptions {
  Policy policy;
  Provider provider;
  Mode mode = Mode::kGangs;
  bool dry_run = false;                       // decisions are made and logged, and nothing is ordered
  std::string directory;                      // of the provider file; its commands run there
  Duration period = std::chrono::seconds(5);  // of the observations
  // The time for readers of the log and of the publication. Decisions use a clock of their own, which never steps.
  std::function<Instant()> wall_time = [] {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  };
};

// Returns when `stop` is readable: nothing is changed, and the next run continues. on_decision: called on this thread
// with each line of the decision log. Returns an error if the state cannot be stored; no order is given then.
Status Run(const RunOptions& options, ClusterLink& link, const Directory& directory, int stop,
           const std::function<void(const Decision&)>& on_decision);

// Runs the provider's `list` once.
Result<std::vector<Machine>> ListMachines(const Provider& provider, const std::string& directory);

}  // namespace howdah::autoscale::runner
