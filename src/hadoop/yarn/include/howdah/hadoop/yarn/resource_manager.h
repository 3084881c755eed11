// What a client asks of the ResourceManager: org.apache.hadoop.yarn.api.ApplicationClientProtocol as typed calls.
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

// Every call blocks, and goes to whichever ResourceManager is active; one thread at a time. Errors are those of
// BlockingClient, with what was being done in front of them.
class ResourceManager {
 public:
  // Where the ResourceManagers are is said by the configuration (hadoop::conf::ResourceManagers). Connects at the first
  // call. kUsage: the configuration does not say, and which key is wrong.
  static Result<ResourceManager> Open(const hadoop::conf::Configuration& configuration, hadoop::rpc::Login login,
                                      hadoop::rpc::RetryLimits limits = {});
  explicit ResourceManager(hadoop::rpc::ClientOptions options);

  // A fresh id, and the most that one container can have.
  Result<::hadoop::yarn::GetNewApplicationResponseProto> NewApplication();
  // Submits, and waits until the scheduler has the application or the ResourceManager has refused it (kUnavailable,
  // with its own words). One that dies meanwhile, or was replaced before it stored the application, is told again: the
  // id makes that harmless. kTimeout: neither within the limit; the application may still be accepted.
  Result<::hadoop::yarn::ApplicationReportProto> Submit(
      const ::hadoop::yarn::ApplicationSubmissionContextProto& context, Duration limit);
  // kNotFound: the ResourceManager does not know it (any more).
  Result<::hadoop::yarn::ApplicationReportProto> Report(const ApplicationId& id);
  // Returns when the application has ended, however; kTimeout: it had not within the limit. diagnostics: what the
  // ResourceManager records as the reason.
  Status Kill(const ApplicationId& id, const std::string& diagnostics, Duration limit);
  // Returns when the application has ended and its AM's container is gone; kTimeout: not within the limit.
  Status AwaitEnd(const ApplicationId& id, Duration limit);
  // What the request leaves empty is not filtered by. Every application it knows, ended ones too, if states are empty.
  Result<std::vector<::hadoop::yarn::ApplicationReportProto>> Applications(
      const ::hadoop::yarn::GetApplicationsRequestProto& filter);
  // In these states; all nodes that are or were, if none are named.
  Result<std::vector<::hadoop::yarn::NodeReportProto>> ClusterNodes(
      const std::vector<::hadoop::yarn::NodeStateProto>& states = {::hadoop::yarn::NS_RUNNING});
  Result<::hadoop::yarn::YarnClusterMetricsProto> ClusterMetrics();
  // kNotFound: there is no such queue. with_children: all queues below, too.
  Result<::hadoop::yarn::QueueInfoProto> QueueInfo(const std::string& queue, bool with_children = false);
  // What the caller may do, by queue.
  Result<std::vector<::hadoop::yarn::QueueUserACLInfoProto>> QueueUserAcls();
  // Empty where the cluster has no labels.
  Result<std::vector<::hadoop::yarn::NodeLabelProto>> NodeLabels();
  Result<std::vector<::hadoop::yarn::LabelsToNodeIdsProto>> LabelsToNodes(const std::vector<std::string>& labels = {});
  // memory-mb and vcores, then what the cluster has besides (yarn.io/gpu, ...).
  Result<std::vector<::hadoop::yarn::ResourceTypeInfoProto>> ResourceTypes();
  Result<std::vector<::hadoop::yarn::ApplicationAttemptReportProto>> Attempts(const ApplicationId& id);
  Result<std::vector<::hadoop::yarn::ContainerReportProto>> Containers(const AttemptId& id);
  // For who acts without the caller's own credentials. renewer: a user or principal that may renew it.
  Result<hadoop::rpc::Token> GetDelegationToken(const std::string& renewer);

 private:
  template <typename Response>
  Result<Response> Call(const std::string& doing, std::string_view method,
                        const google::protobuf::MessageLite& request);

  bool several_;  // of which one is active
  hadoop::rpc::BlockingClient client_;
};

// The Java classes by which callers decide (Error::remote_class).
inline constexpr std::string_view kApplicationNotFound =
    "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException";

// The first line of an exception's message, without the Java class that some begin with.
std::string FirstLine(std::string_view message);

}  // namespace howdah::hadoop::yarn
