// The facts from which advice on a job is computed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "howdah/advice/trail.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/journal/ledger.h"
#include "howdah/metrics/table.h"

namespace howdah::advice {

// Hardware over time, and wall time of the job.
struct Amounts {
  double gpu_hours = 0, memory_gib_hours = 0, vcore_hours = 0;
  double hours = 0;
  friend bool operator==(const Amounts&, const Amounts&) = default;
};

// Facts about an earlier run of the job's name, or about this run.
struct RunFacts {
  struct Role {
    int tasks = 0;
    int64_t memory_peak_bytes = 0;           // highest peak of a task; 0: not measured
    double cores_peak = 0;                   // highest use by a task; 0: not measured
    std::optional<double> steps_per_second;  // the median of its tasks
  };

  std::string id;
  Instant submitted;
  Duration ran{};  // duration from the first start of a task
  bool ended = false, succeeded = false;
  std::map<std::string, Role> roles;  // roles by name
  int gpus = 0;                       // number of GPUs of all tasks
  int nodes = 0;
  int interruptions = 0;           // failures, preemptions and lost containers
  std::set<std::string> findings;  // FindingKey of each finding
};

// Facts about the cluster.
struct ClusterFacts {
  std::optional<int64_t> memory_step_bytes;  // memory is granted in multiples of this; nullopt: not known
};

struct Facts {
  journal::JobView job;
  jobspec::JobSpec spec;
  const metrics::Table* metrics = nullptr;  // nullptr: nothing was measured
  journal::Ledger ledger;
  Trail trail;
  std::vector<RunFacts> earlier = {};  // the newest first
  int runs_in_30_days = 1;             // runs of the job's name in the last 30 days, including this run
  ClusterFacts cluster = {};
};

}  // namespace howdah::advice
