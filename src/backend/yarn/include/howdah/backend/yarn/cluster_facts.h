// What the ResourceManager says of the cluster, as far as it decides whether and when a job gets its containers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/yarn/resource.h"
#include "howdah/hadoop/yarn/resource_manager.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn {

struct NodeFacts {
  std::string host;
  int port = 0;
  std::string rack;
  std::string label;   // "": the default partition
  std::string state;   // "RUNNING", "UNHEALTHY", "LOST", ...
  std::string health;  // the node's own report, if it is not well
  hadoop::yarn::Resource total, used;
  bool running() const { return state == "RUNNING"; }
  hadoop::yarn::Resource free() const;
};

// Of one application in the queue.
struct ApplicationFacts {
  std::string id, user;
  bool running = false;  // its AM is: it counts against the limit on application masters
  hadoop::yarn::Resource used;
};

struct QueueFacts {
  std::string name;
  bool exists = false;
  bool stopped = false;
  std::optional<hadoop::yarn::Resource>
      most;  // that it can ever have, of the partition that is asked for; none: not told
  std::optional<hadoop::yarn::Resource> capacity;  // that it is promised; none: not told
  double most_share = 1;                           // of the cluster
  double am_share = 1;                             // of the queue, that application masters may have
  std::vector<std::string> labels;                 // that it may use; "*": all
  hadoop::yarn::Resource used() const;
  std::vector<ApplicationFacts> applications;
};

struct ClusterFacts {
  std::string user;
  std::vector<NodeFacts> nodes;  // that are or were
  QueueFacts queue;
  std::vector<std::string> allowed_queues;  // in which the user may submit
  std::vector<std::string> labels;
  std::vector<std::string> resource_types;
};

// Asks for all of it. queue: empty: "default". kUnavailable: the ResourceManager cannot be reached.
Result<ClusterFacts> FetchClusterFacts(hadoop::yarn::ResourceManager& rm, const std::string& user,
                                       const std::string& queue, const std::string& label);

// The container of one task of the role: what is asked for.
hadoop::yarn::Resource ContainerSize(const jobspec::RoleSpec& role);
// The label on which the role's containers are asked for.
std::string NodeLabel(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role);

}  // namespace howdah::backend::yarn
