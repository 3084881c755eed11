// The simulated jobs, as data: the values of a job file, the framework's rules, and the behaviour of the user's
// processes.
#pragma once

#include <string_view>
#include <vector>

#include "howdah/base/random.h"
#include "howdah/base/time.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::testing::sim {

// The behaviour of the processes of one role. Each chance applies to one attempt of a task.
struct Behaviour {
  Duration shortest = std::chrono::milliseconds(20);
  Duration longest = std::chrono::seconds(20);
  bool endless = false;     // the process ends only because of a stop or a failure
  double fails = 0;         // one of the processes fails, in half of the cases because of a signal
  double start_fails = 0;   // the command cannot be started
  double ignores_stop = 0;  // only SIGKILL ends the attempt
  double saves = 0;         // after a stop order the attempt repeatedly requests more time
  double hangs = 0;         // the attempt reports steps for a while and then none
  double ruled = 0;         // a failure matches a restart rule of the role
  double node_fails = 0;    // a failure is caused by the node
};

struct Workload {
  std::string_view name;
  jobspec::JobSpec spec;
  core::FrameworkRules rules;
  std::vector<Behaviour> behaviour;  // the behaviour of each role, by its index
  // The ranked tasks communicate: when one of them fails, the others fail soon after.
  bool collective = false;
  // Ranked tasks continue from one generation to the next: when one of them fails, the others wait for their slots in
  // the next generation.
  bool rejoins = false;
};

struct WorkloadKind {
  std::string_view name;
  Workload (*make)(Random& random);  // draws sizes, budgets and time-outs for each seed
};

const std::vector<WorkloadKind>& WorkloadKinds();

// Adds restart rules to roles of some workloads. The random generator is separate, so that the rest of the seed's run
// does not change.
void AddRules(Workload& workload, Random random);
// Lets some roles wait until others are ready instead of started. The random generator is separate, too.
void AddReadiness(Workload& workload, Random random);

}  // namespace howdah::testing::sim
