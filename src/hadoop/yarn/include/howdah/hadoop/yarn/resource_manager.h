// A client of the ResourceManager: typed calls of org.apache.hadoop.yarn.api.ApplicationClientProtocol.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/rpc/blocking_client.h"
#include "howdah/hadoop/rpc/token.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::hadoop::yarn {

// Every call blocks and goes to the active ResourceManager. Not thread-safe. Errors are those of BlockingClient, with
// the operation in front of the message.
class ResourceManager {
 public:
  // Uses the addresses in the configuration (conf::ResourceManagers). Connects at the first call. Returns kUsage if the
  // configuration has no address; the message names the key.
  static Result<ResourceManager> Open(const hadoop::conf::Configuration& configuration, hadoop::rpc::Login login,
                                      hadoop::rpc::RetryLimits limits = {});
  explicit ResourceManager(hadoop::rpc::ClientOptions options);

  // Returns a new id and the maximum resources of a container.
  Result<::hadoop::yarn::GetNewApplicationResponseProto> NewApplication();
  // Submits, and waits until the scheduler has accepted the application or the ResourceManager has refused it
  // (kUnavailable, with its message). If the ResourceManager dies, or is replaced before it has stored the application,
  // submits again; this is harmless, because the id is the same. Returns kTimeout if neither happens within the limit;
  // the application may still be accepted later.
  Result<::hadoop::yarn::ApplicationReportProto> Submit(
      const ::hadoop::yarn::ApplicationSubmissionContextProto& context, Duration limit);
  // Returns kNotFound if the ResourceManager does not know the application.
  Result<::hadoop::yarn::ApplicationReportProto> Report(const ApplicationId& id);
  // Returns when the application has ended for any reason, or kTimeout after the limit. `diagnostics` is the reason
  // that the ResourceManager records.
  Status Kill(const ApplicationId& id, const std::string& diagnostics, Duration limit);
  // Returns when the application has ended and its AM's container is gone, or kTimeout after the limit.
  Status AwaitEnd(const ApplicationId& id, Duration limit);
  // Empty fields of the request do not filter: if `states` is empty, all known applications are returned, including
  // ended ones.
  Result<std::vector<::hadoop::yarn::ApplicationReportProto>> Applications(
      const ::hadoop::yarn::GetApplicationsRequestProto& filter);
  // Returns nodes in these states; in any state if `states` is empty.
  Result<std::vector<::hadoop::yarn::NodeReportProto>> ClusterNodes(
      const std::vector<::hadoop::yarn::NodeStateProto>& states = {::hadoop::yarn::NS_RUNNING});
  Result<::hadoop::yarn::YarnClusterMetricsProto> ClusterMetrics();
  // Returns kNotFound if there is no such queue. `with_children` includes all descendants.
  Result<::hadoop::yarn::QueueInfoProto> QueueInfo(const std::string& queue, bool with_children = false);
  // The caller's permissions by queue.
  Result<std::vector<::hadoop::yarn::QueueUserACLInfoProto>> QueueUserAcls();
  // Empty if the cluster has no labels.
  Result<std::vector<::hadoop::yarn::NodeLabelProto>> NodeLabels();
  Result<std::vector<::hadoop::yarn::LabelsToNodeIdsProto>> LabelsToNodes(const std::vector<std::string>& labels = {});
  // memory-mb and vcores, then further types of the cluster (yarn.io/gpu and so on).
  Result<std::vector<::hadoop::yarn::ResourceTypeInfoProto>> ResourceTypes();
  Result<std::vector<::hadoop::yarn::ApplicationAttemptReportProto>> Attempts(const ApplicationId& id);
  Result<std::vector<::hadoop::yarn::ContainerReportProto>> Containers(const AttemptId& id);
  // A token for processes without the caller's own credentials. `renewer` is the user or principal that may renew it.
  Result<hadoop::rpc::Token> GetDelegationToken(const std::string& renewer);

 private:
  template <typename Response>
  Result<Response> Call(const std::string& doing, std::string_view method,
                        const google::protobuf::MessageLite& request);

  bool several_;  // whether there are several ResourceManagers, one of which is active
  hadoop::rpc::BlockingClient client_;
};

// A Java class (Error::remote_class) to which callers react.
inline constexpr std::string_view kApplicationNotFound =
    "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException";

// The first line of an exception's message, without a leading Java class name.
std::string FirstLine(std::string_view message);

}  // namespace howdah::hadoop::yarn
