// Decides how many nodes the waiting gangs need beside the ones that exist: the rule of the mode `gangs`. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "howdah/admission/gang_tag.h"
#include "howdah/admission/queue.h"
#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/provider.h"

namespace howdah::autoscale {

// Containers that wait for room. A gang starts only as a whole.
struct Wanted {
  std::string id;  // of the job, or of the application
  std::string queue, label;
  std::vector<admission::Tasks> tasks;  // with the AM, if that has no container yet
  admission::Resources am;              // what the AM among the tasks takes; 0 if it is not among them
  bool whole = true;                    // a gang
};

// The limits of a queue as shares of the resources of a label's nodes, because they grow with the cluster.
struct QueueShare {
  double most = 1, most_ams = 1;
  admission::Resources used, used_by_ams;
  admission::Resources unit{1, 1, 0, {}};  // the limit of AMs is rounded up to a multiple of it
};

// The nodes of one label.
struct Partition {
  std::vector<admission::Node> nodes;        // that run, and empty ones for those that have been ordered
  std::vector<admission::Node> draining;     // whose drain can be cancelled
  std::map<std::string, QueueShare> queues;  // by queue; a queue that is missing has no limits
};

// A group from which nodes can be ordered.
struct Offer {
  Group group = Group::kPrimary;
  NodeShape node;
  double cost = 1;
  int most = 0;  // nodes that may be ordered now
};

struct GangPlan {
  Sizes add;                        // nodes to order
  std::vector<std::string> cancel;  // draining nodes that are needed
  std::set<std::string> used;       // nodes on which something that waits has been placed
  std::vector<std::string> served;  // the jobs for which nodes are added or kept, in order
  struct Unserved {
    std::string id, reason;  // "needs 12 × 16 GiB, of which 4 × 16 GiB do not fit on 10 nodes, the most that …"
  };
  std::vector<Unserved> unserved;  // no node is added for these
  bool limited = false;            // something is served in a queue with limits, which shrink with the cluster
};

// wanted: in the order of the queue. partitions: by label. up_factor: the share of the missing nodes that is ordered,
// but never less than the first gang needs.
GangPlan PlanGangs(const std::vector<Wanted>& wanted, const std::map<std::string, Partition>& partitions,
                   const std::vector<Offer>& offers, double up_factor);

}  // namespace howdah::autoscale
