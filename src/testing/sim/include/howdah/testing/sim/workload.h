// The jobs that are simulated, as data: a job file's values, the framework's rules, and how the user's processes
// behave.
#pragma once

#include <string_view>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/testing/sim/random.h"

namespace howdah::testing::sim {

// How the processes of one role behave. Chances are of one attempt of a task.
struct Conduct {
  Duration shortest = std::chrono::milliseconds(20);
  Duration longest = std::chrono::seconds(20);
  bool for_ever = false;    // ends only when it is stopped, or by a failure
  double fails = 0;         // one of its processes does, half of them by a signal
  double start_fails = 0;   // the command cannot be started
  double ignores_stop = 0;  // only SIGKILL ends it
  double saves = 0;         // told to stop, it asks for more time again and again
  double stalls = 0;        // it reports steps, and then none any more
  double ruled = 0;         // a failure of it fits the rule of its role
  double node_fails = 0;    // a failure of it is its node's
};

struct Workload {
  std::string_view name;
  jobspec::JobSpec spec;
  core::FrameworkRules rules;
  std::vector<Conduct> conduct;  // by role
  // The ranked tasks talk to each other: when one of them dies the others fail too, soon after.
  bool collective = false;
  // They go from one world to the next: when one dies the others wait for their places in a new one.
  bool meets = false;
};

struct WorkloadKind {
  std::string_view name;
  Workload (*make)(Random& random);  // sizes, budgets and time-outs are drawn anew for each seed
};

const std::vector<WorkloadKind>& WorkloadKinds();

// Gives roles of some workloads rules of what follows a failure. With chance of its own: all else stays as it was.
void AddRules(Workload& workload, Random random);

}  // namespace howdah::testing::sim
