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

// Returns whether the ResourceManager refused the call because the user has no right to it: the message of the
// YarnException then begins with the name of an AccessControlException (ClientRMService).
bool IsMissingRight(const Error& error);

// Every call blocks and goes to the active ResourceManager. Not thread-safe. Errors are those of BlockingClient; their
// messages begin with the operation.
class ResourceManager {
 public:
  // Uses the addresses in the configuration (conf::ResourceManagers). Connects at the first call. Returns kUsage if the
  // configuration has no address; the message names the missing key.
  // If the login uses Kerberos, the configuration supplies the principal of the server and the protection.
  static Result<ResourceManager> Open(const hadoop::conf::Configuration& configuration, hadoop::rpc::Login login,
                                      hadoop::rpc::RetryLimits limits = {});
  explicit ResourceManager(hadoop::rpc::ClientOptions options);

  // Returns a new application id, and the maximum size of a container.
  Result<::hadoop::yarn::GetNewApplicationResponseProto> NewApplication();
  // Submits an application. Waits until the scheduler has accepted it, or the ResourceManager has refused it
  // (kUnavailable, with the ResourceManager's message). Submits again if the ResourceManager dies, or is replaced
  // before it has stored the application; this is harmless, because the id is the same. Returns kTimeout if the
  // application is neither accepted nor refused within the limit; YARN may still accept it later.
  Result<::hadoop::yarn::ApplicationReportProto> Submit(
      const ::hadoop::yarn::ApplicationSubmissionContextProto& context, Duration limit);
  // Returns kNotFound if the ResourceManager does not know the application.
  Result<::hadoop::yarn::ApplicationReportProto> Report(const ApplicationId& id);
  // Kills the application. Returns when it has ended for any reason, or kTimeout after the limit. `diagnostics`: the
  // reason for the ResourceManager to record.
  Status Kill(const ApplicationId& id, const std::string& diagnostics, Duration limit);
  // Changes the priority of an application, and returns the one that it has then: at most
  // yarn.cluster.max-application-priority.
  Result<int> UpdatePriority(const ApplicationId& id, int priority);
  Status MoveToQueue(const ApplicationId& id, const std::string& queue);
  // Returns when the application has ended and the container of its AM is gone. Returns kTimeout after the limit.
  Status AwaitEnd(const ApplicationId& id, Duration limit);
  // Empty fields of the request do not filter. For example, if `states` is empty, all applications that the
  // ResourceManager knows are returned, including ended ones.
  Result<std::vector<::hadoop::yarn::ApplicationReportProto>> Applications(
      const ::hadoop::yarn::GetApplicationsRequestProto& filter);
  // Returns the nodes that are in one of these states. If `states` is empty, returns all nodes.
  Result<std::vector<::hadoop::yarn::NodeReportProto>> ClusterNodes(
      const std::vector<::hadoop::yarn::NodeStateProto>& states = {::hadoop::yarn::NS_RUNNING});
  Result<::hadoop::yarn::YarnClusterMetricsProto> ClusterMetrics();
  // Returns kNotFound if the queue does not exist. `with_children`: include all descendants.
  Result<::hadoop::yarn::QueueInfoProto> QueueInfo(const std::string& queue, bool with_children = false);
  // The caller's permissions, by queue.
  Result<std::vector<::hadoop::yarn::QueueUserACLInfoProto>> QueueUserAcls();
  // The cluster's node labels; none if it has no labels.
  Result<std::vector<::hadoop::yarn::NodeLabelProto>> NodeLabels();
  Result<std::vector<::hadoop::yarn::LabelsToNodeIdsProto>> LabelsToNodes(const std::vector<std::string>& labels = {});
  // The cluster's resource types: memory-mb and vcores, then the others (yarn.io/gpu and so on).
  Result<std::vector<::hadoop::yarn::ResourceTypeInfoProto>> ResourceTypes();
  Result<std::vector<::hadoop::yarn::ApplicationAttemptReportProto>> Attempts(const ApplicationId& id);
  Result<std::vector<::hadoop::yarn::ContainerReportProto>> Containers(const AttemptId& id);
  // Returns a token for processes that do not have the caller's credentials. `renewer` is the user or principal that
  // may renew the token.
  Result<hadoop::rpc::Token> GetDelegationToken(const std::string& renewer);
  // Returns until when a token that is issued now is accepted if nothing renews it. Fetches a token with the caller as
  // its renewer, renews it and cancels it, because only a renewal reports this time. user: the caller's account.
  Result<Instant> ValidityOfNewToken(const std::string& user);
  // See BlockingClient::security.
  std::string security() const { return client_.security(); }

 private:
  template <typename Response>
  Result<Response> Call(const std::string& doing, std::string_view method,
                        const google::protobuf::MessageLite& request);

  bool several_;  // whether the cluster has several ResourceManagers, of which one is active
  hadoop::rpc::BlockingClient client_;
};

// The value of Error::remote_class for an application that the ResourceManager does not know.
inline constexpr std::string_view kApplicationNotFound =
    "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException";

// The first line of an exception's message, without a Java class name at its beginning.
std::string FirstLine(std::string_view message);

}  // namespace howdah::hadoop::yarn
