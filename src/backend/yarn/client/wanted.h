// The gangs and containers that wait for room on a cluster, as an autoscaler needs them. Pure.
#pragma once

#include <vector>

#include "howdah/autoscale/facts.h"
#include "howdah/backend/yarn/gang_queue.h"
#include "rm_web.h"

namespace howdah::backend::yarn::client {

// Returns the waiting gangs in the order of the queue, then what running jobs and other applications have requested and
// not got: later stages of jobs and lost containers are among it. reports: the applications of Howdah, with the AMs of
// those that wait. applications: all. elastic_max: optional tasks of elastic roles count.
std::vector<autoscale::Wanted> WantedOf(const QueueReports& reports, const std::vector<LiveApplication>& applications,
                                        bool elastic_max);

// Removes the vcores of all containers, for a scheduler that does not count them. Nodes keep theirs: clients compare
// the sizes of nodes with what tasks request.
void ForgetVcores(autoscale::ClusterSeen& seen);

}  // namespace howdah::backend::yarn::client
