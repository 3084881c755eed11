// An administrator's client of the ResourceManager: typed calls of
// org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocol.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/rpc/blocking_client.h"
#include "howdah/hadoop/yarn/ids.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::hadoop::yarn {

// The way in which nodes that have been excluded leave. (DecommissionType)
enum class Decommission {
  kAtOnce,      // NORMAL: their containers are killed
  kGracefully,  // GRACEFUL: after their containers and applications have ended, or after the timeout
};

// Every call blocks, and goes to the active ResourceManager: a standby one refuses it. The caller must be in
// yarn.admin.acl (IsMissingRight). Not thread-safe. Errors are those of BlockingClient; their messages begin with the
// operation.
class ResourceManagerAdmin {
 public:
  // As ResourceManager::Open, with yarn.resourcemanager.admin.address.
  static Result<ResourceManagerAdmin> Open(const conf::Configuration& configuration, rpc::Login login,
                                           rpc::RetryLimits limits = {});
  explicit ResourceManagerAdmin(rpc::ClientOptions options);

  // Lets the ResourceManager read its include and exclude files. Nodes that are excluded now are decommissioned; nodes
  // that are being decommissioned and are not excluded any more are taken back. timeout: for hosts without a timeout of
  // their own in the file (exclude_file.h); whole seconds; counts from the begin of a node's decommissioning. The
  // ResourceManager itself watches the timeout.
  Status RefreshNodes(Decommission kind, Duration timeout);
  // Returns the nodes that are being decommissioned, as "host:port".
  Result<std::vector<std::string>> DecommissioningNodes();
  // Changes the resources of a running node. overcommit: the time that containers get before they are preempted if they
  // need more than the node has then.
  Status UpdateNodeResource(const NodeId& node, const Resource& resource, Duration overcommit);

 private:
  rpc::BlockingClient client_;
};

}  // namespace howdah::hadoop::yarn
