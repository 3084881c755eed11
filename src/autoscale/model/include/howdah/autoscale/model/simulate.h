// Runs the autoscaler and the queue of gangs on a simulated cluster, in virtual time. The cluster is healthy: its
// faults are the subject of the simulator of the tests. Pure and deterministic.
#pragma once

#include <functional>

#include "howdah/autoscale/decision.h"
#include "howdah/autoscale/model/workload.h"
#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/scaler.h"
#include "howdah/base/time.h"

namespace howdah::autoscale::model {

struct Outcome {
  int jobs = 0, unfinished = 0;  // unfinished: of the jobs, those that never ended
  Duration makespan{0};          // until the last job has ended
  double node_hours = 0;         // of all machines, until the cluster is as small as at the start
  int largest = 0;               // most machines at one time
  // From the submission of a job until its tasks run.
  Duration mean_wait{0}, longest_wait{0};
  double lost_task_hours = 0;  // work that was killed with a node, and had to be done again
};

// on_decision: called with each line of the decision log; may be empty.
Outcome Simulate(const Workload& workload, const Policy& policy, Mode mode,
                 const std::function<void(const Decision&)>& on_decision);

}  // namespace howdah::autoscale::model
