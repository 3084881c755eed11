// For which queue the scheduler takes containers from a job. YARN says only that it does: it is concluded from what the
// queues have, want and are promised. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn::am {

// A queue in which jobs run, out of getQueueInfo. ResourceManagers count what is used and asked for in the default
// partition only.
struct LeafQueue {
  std::string name;
  std::string path;                // "root.a.b"; empty: not told (Hadoop 3.3)
  std::set<std::string> promised;  // labels of which it is promised something; "": the default partition
  double used_share = 0;           // of what it is promised, by the calculator of the scheduler
  int64_t containers = 0;
  int64_t asks = 0;              // containers that it waits for
  bool preempts_within = false;  // one of its applications may get what another one has
};

// All leaves of the tree. A scheduler that tells no numbers (QueueStatistics) has none.
std::vector<LeafQueue> LeafQueues(const ::hadoop::yarn::QueueInfoProto& root);

// A clause behind "for": "the queue a", "the queue a or b", "another application of the queue a"; empty: it is not
// certain enough. own: the queue of the job, by name or path; label: of the partition of the container.
std::string PreemptingQueue(const std::vector<LeafQueue>& leaves, const std::string& own, const std::string& label);

}  // namespace howdah::backend::yarn::am
