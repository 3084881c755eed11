// The ResourceManager's numbers that determine whether and when a job gets its containers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/yarn/placement.h"
#include "howdah/hadoop/yarn/resource.h"
#include "howdah/hadoop/yarn/resource_manager.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn {

struct NodeFacts {
  std::string host;
  int port = 0;
  std::string rack;
  std::string label;   // "" is the default partition
  std::string state;   // "RUNNING", "UNHEALTHY", "LOST", ...
  std::string health;  // health report of a node that is not running
  hadoop::yarn::Resource total, used;
  hadoop::yarn::NodeAttributes attributes = {};
  bool running() const { return state == "RUNNING"; }
  hadoop::yarn::Resource free() const;
};

// One application in the queue.
struct ApplicationFacts {
  std::string id, user;
  bool running = false;  // the AM runs and counts toward the queue's limit for AMs
  hadoop::yarn::Resource used;
  bool hidden = false;  // the ResourceManager does not show `used` to this user (ApplicationAccessType.VIEW_APP)
};

struct QueueFacts {
  std::string name;
  bool exists = false;
  bool parent = false;  // has child queues, so it accepts no jobs itself
  bool stopped = false;
  std::optional<hadoop::yarn::Resource> maximum;   // limit in the requested partition; unset if not reported
  std::optional<hadoop::yarn::Resource> capacity;  // resources guaranteed to the queue; unset if not reported
  double maximum_share = 1;                        // maximum fraction of the cluster
  double am_share = 1;                             // maximum fraction of the queue for application masters
  std::vector<std::string> labels;                 // accessible labels; "*" means all
  std::vector<ApplicationFacts> applications;
  // The use of all applications, also of hidden ones. Unset if the queue reports it for another partition.
  std::optional<hadoop::yarn::Resource> allocated = std::nullopt;
  hadoop::yarn::Resource visible_use() const;  // of the applications that are not hidden
  hadoop::yarn::Resource used() const;         // as far as it is known
};

// Equal nodes that an autoscaler may add to the cluster.
struct GrowthFacts {
  std::string label;
  hadoop::yarn::Resource node;  // the size of each
  int count = 0;
};

struct ClusterFacts {
  std::string user;
  std::vector<NodeFacts> nodes;  // all nodes that the ResourceManager lists, in any state
  std::vector<GrowthFacts> growth;
  std::string no_growth;  // why an autoscaler that should be there adds no nodes; "" if it does, or if there is none
  QueueFacts queue;
  std::vector<std::string> allowed_queues;  // leaf queues to which `user` may submit
  std::vector<std::string> labels;
  std::vector<std::string> resource_types;
};

// The ResourceManager's name for the queue of a job that names none.
inline constexpr const char* kDefaultQueue = "default";

// queue: an empty name means kDefaultQueue. Returns kUnavailable if the ResourceManager cannot be reached.
Result<ClusterFacts> FetchClusterFacts(hadoop::yarn::ResourceManager& rm, const std::string& user,
                                       const std::string& queue, const std::string& label);

// Returns the largest amount of each resource type on a running node. The ResourceManager rejects larger requests.
hadoop::yarn::Resource LargestAmounts(const std::vector<NodeFacts>& nodes);

// Convert the ResourceManager's reports. label: the node label of the partition whose limits are returned.
NodeFacts FactsOf(const ::hadoop::yarn::NodeReportProto& report);
QueueFacts FactsOf(const ::hadoop::yarn::QueueInfoProto& info, const std::string& label);
ApplicationFacts FactsOf(const ::hadoop::yarn::ApplicationReportProto& report);

// Returns the leaf queues to which the user may submit. acls: the entries of all queues of the cluster. A queue is a
// leaf unless its path, followed by a dot, begins the path of another queue.
std::vector<std::string> AllowedQueues(const std::vector<::hadoop::yarn::QueueUserACLInfoProto>& acls);

// Returns the size of the container of one task of the role.
hadoop::yarn::Resource ContainerSize(const jobspec::RoleSpec& role);
// Returns the conditions on node attributes of the role.
std::vector<hadoop::yarn::AttributeCondition> AttributeConditions(const jobspec::RoleSpec& role);
// Returns the node label that the role's containers request.
std::string NodeLabel(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

}  // namespace howdah::backend::yarn
