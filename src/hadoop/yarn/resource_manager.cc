#include "howdah/hadoop/yarn/resource_manager.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "howdah/base/epoch.h"
#include "howdah/hadoop/messages/security.pb.h"
#include "howdah/hadoop/rpc/token_proto.h"
#include "rm_options.h"

namespace howdah::hadoop::yarn {
namespace {

using namespace std::chrono_literals;
using namespace ::hadoop::yarn;

constexpr const char* kProtocol = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB";

// Sleeps between polls of the ResourceManager. The first pauses are short, because the result is usually available
// immediately.
class Pauses {
 public:
  explicit Pauses(Duration limit) : end_(std::chrono::steady_clock::now() + limit) {}
  // Sleeps. Returns false if the limit is reached.
  bool Next() {
    if (std::chrono::steady_clock::now() + pause_ > end_) return false;
    std::this_thread::sleep_for(pause_);
    pause_ = std::min<Duration>(pause_ * 2, 200ms);
    return true;
  }

 private:
  std::chrono::steady_clock::time_point end_;
  Duration pause_ = 4ms;
};

bool IsNew(YarnApplicationStateProto state) { return state == NEW || state == NEW_SAVING || state == SUBMITTED; }

template <typename Items>
auto ToVector(Items& items) {
  using Item = typename Items::value_type;
  return std::vector<Item>(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
}

}  // namespace

std::string FirstLine(std::string_view message) {
  message = message.substr(0, message.find('\n'));
  const size_t colon = message.find(": ");
  const std::string_view head = message.substr(0, colon == std::string_view::npos ? 0 : colon);
  const bool java_class =
      (head.starts_with("org.apache.") || head.starts_with("java.")) && head.find(' ') == std::string_view::npos;
  return std::string(java_class ? message.substr(colon + 2) : message);
}

Result<ResourceManager> ResourceManager::Open(const hadoop::conf::Configuration& configuration,
                                              hadoop::rpc::Login login, hadoop::rpc::RetryLimits limits) {
  HOWDAH_TRY(auto options, RmOptions(configuration, hadoop::conf::RmService::kClient, std::move(login), limits));
  return ResourceManager(std::move(options));
}

ResourceManager::ResourceManager(hadoop::rpc::ClientOptions options)
    : several_(options.servers.size() > 1), client_([&options] {
        options.protocol = kProtocol;
        return std::move(options);
      }()) {}

template <typename Response>
Result<Response> ResourceManager::Call(const std::string& doing, std::string_view method,
                                       const google::protobuf::MessageLite& request) {
  auto response = client_.Call<Response>(method, request);
  if (response) return response;
  Error error = response.error().While(doing);
  if (several_ && error.code == ErrorCode::kUnavailable && error.remote_class.empty()) {
    error.message +=
        "; a standby ResourceManager refuses connections like one that is down; check with: yarn rmadmin "
        "-getAllServiceState";
  }
  return error;
}

Result<GetNewApplicationResponseProto> ResourceManager::NewApplication() {
  return Call<GetNewApplicationResponseProto>("asking for a new application", "getNewApplication",
                                              GetNewApplicationRequestProto());
}

Result<ApplicationReportProto> ResourceManager::Submit(const ApplicationSubmissionContextProto& context,
                                                       Duration limit) {
  const ApplicationId id = FromProto(context.application_id());
  const std::string doing = "submitting " + ToText(id);
  SubmitApplicationRequestProto request;
  *request.mutable_application_submission_context() = context;
  Error last{ErrorCode::kTimeout, "not accepted by the ResourceManager"};
  bool sent = false;
  for (Pauses pauses(limit);;) {
    if (!sent) {
      const auto answer = Call<SubmitApplicationResponseProto>(doing, "submitApplication", request);
      sent = answer.ok();
      if (!sent) last = answer.error();
    }
    if (sent) {
      auto report = Report(id);
      if (report && (report->yarn_application_state() == FAILED || report->yarn_application_state() == KILLED)) {
        return Error{ErrorCode::kUnavailable, "the cluster refused " + ToText(id) + ": " + report->diagnostics()};
      }
      if (report && !IsNew(report->yarn_application_state())) return report;
      // The application is unknown if the ResourceManager was replaced before it had stored it. Then submit it again.
      sent = report.ok() || report.error().code != ErrorCode::kNotFound;
      if (!report) last = report.error();
    }
    // An error that the ResourceManager sent is final. If the ResourceManager is unreachable, keep trying: it answered
    // a moment ago, so it is probably restarting.
    const bool silent =
        last.remote_class.empty() && (last.code == ErrorCode::kUnavailable || last.code == ErrorCode::kTimeout);
    if (!silent && last.remote_class != kApplicationNotFound) return last;
    if (!pauses.Next()) {
      return Error{ErrorCode::kTimeout, doing + ": not accepted within " + FormatDuration(limit) + ": " + last.message};
    }
  }
}

Result<ApplicationReportProto> ResourceManager::Report(const ApplicationId& id) {
  GetApplicationReportRequestProto request;
  *request.mutable_application_id() = ToProto(id);
  auto response = Call<GetApplicationReportResponseProto>("asking for the report of " + ToText(id),
                                                          "getApplicationReport", request);
  if (!response) {
    Error error = response.error();
    if (error.remote_class == kApplicationNotFound) error.code = ErrorCode::kNotFound;
    return error;
  }
  return std::move(*response->mutable_application_report());
}

bool IsMissingRight(const Error& error) {
  return !error.remote_class.empty() && error.message.find("AccessControlException: ") != std::string::npos;
}

Status ResourceManager::Kill(const ApplicationId& id, const std::string& diagnostics, Duration limit) {
  KillApplicationRequestProto request;
  *request.mutable_application_id() = ToProto(id);
  if (!diagnostics.empty()) request.set_diagnostics(diagnostics);
  const std::string doing = "killing " + ToText(id);
  for (Pauses pauses(limit);;) {
    const auto response = Call<KillApplicationResponseProto>(doing, "forceKillApplication", request);
    if (!response) {
      Error error = response.error();
      if (error.remote_class == kApplicationNotFound) error.code = ErrorCode::kNotFound;
      return error;
    }
    if (response->is_kill_completed()) return {};
    if (!pauses.Next()) return Error{ErrorCode::kTimeout, doing + ": it has not ended within " + FormatDuration(limit)};
  }
}

Result<int> ResourceManager::UpdatePriority(const ApplicationId& id, int priority) {
  UpdateApplicationPriorityRequestProto request;
  *request.mutable_applicationid() = ToProto(id);
  request.mutable_applicationpriority()->set_priority(priority);
  HOWDAH_TRY(const auto response, Call<UpdateApplicationPriorityResponseProto>("changing the priority of " + ToText(id),
                                                                               "updateApplicationPriority", request));
  if (response.has_applicationpriority()) return response.applicationpriority().priority();
  HOWDAH_TRY(const auto report, Report(id));  // Hadoop 2 does not return it
  return report.priority().priority();
}

Status ResourceManager::MoveToQueue(const ApplicationId& id, const std::string& queue) {
  MoveApplicationAcrossQueuesRequestProto request;
  *request.mutable_application_id() = ToProto(id);
  request.set_target_queue(queue);
  const auto response = Call<MoveApplicationAcrossQueuesResponseProto>(
      "moving " + ToText(id) + " to the queue " + queue, "moveApplicationAcrossQueues", request);
  return response.ok() ? Status() : Status(response.error());
}

Status ResourceManager::AwaitEnd(const ApplicationId& id, Duration limit) {
  for (Pauses pauses(limit);;) {
    const auto report = Report(id);
    if (!report) return report.error().code == ErrorCode::kNotFound ? Status() : Status(report.error());
    if (report->yarn_application_state() >= FINISHED) {
      // An application is FINISHED as soon as its AM has unregistered. The AM may still be running.
      const auto attempts = Attempts(id);
      const bool leaving =
          attempts && !attempts->empty() && attempts->back().yarn_application_attempt_state() == APP_ATTEMPT_FINISHING;
      if (!leaving) return {};
    }
    if (!pauses.Next()) {
      return Error{ErrorCode::kTimeout, ToText(id) + " has not ended within " + FormatDuration(limit)};
    }
  }
}

Result<std::vector<ApplicationReportProto>> ResourceManager::Applications(const GetApplicationsRequestProto& filter) {
  HOWDAH_TRY(auto response, Call<GetApplicationsResponseProto>("listing applications", "getApplications", filter));
  return ToVector(*response.mutable_applications());
}

Result<std::vector<NodeReportProto>> ResourceManager::ClusterNodes(const std::vector<NodeStateProto>& states) {
  GetClusterNodesRequestProto request;
  for (const NodeStateProto state : states) request.add_nodestates(state);
  if (states.empty()) {
    for (int state = NodeStateProto_MIN; state <= NodeStateProto_MAX; ++state)
      request.add_nodestates(static_cast<NodeStateProto>(state));
  }
  HOWDAH_TRY(auto response,
             Call<GetClusterNodesResponseProto>("listing the cluster's nodes", "getClusterNodes", request));
  return ToVector(*response.mutable_nodereports());
}

Result<YarnClusterMetricsProto> ResourceManager::ClusterMetrics() {
  HOWDAH_TRY(auto response, Call<GetClusterMetricsResponseProto>("asking for the cluster's metrics",
                                                                 "getClusterMetrics", GetClusterMetricsRequestProto()));
  return std::move(*response.mutable_cluster_metrics());
}

Result<QueueInfoProto> ResourceManager::QueueInfo(const std::string& queue, bool with_children) {
  GetQueueInfoRequestProto request;
  request.set_queuename(queue);
  request.set_includeapplications(false);
  request.set_includechildqueues(with_children);
  request.set_recursive(with_children);
  HOWDAH_TRY(auto response,
             Call<GetQueueInfoResponseProto>("asking about the queue " + queue, "getQueueInfo", request));
  // The CapacityScheduler throws an exception for an unknown queue. ClientRMService logs the exception and returns an
  // empty response.
  if (!response.has_queueinfo()) return Error{ErrorCode::kNotFound, "there is no queue " + queue};
  return std::move(*response.mutable_queueinfo());
}

Result<std::vector<QueueUserACLInfoProto>> ResourceManager::QueueUserAcls() {
  HOWDAH_TRY(auto response,
             Call<GetQueueUserAclsInfoResponseProto>("asking which queues may be used", "getQueueUserAcls",
                                                     GetQueueUserAclsInfoRequestProto()));
  return ToVector(*response.mutable_queueuseracls());
}

Result<std::vector<NodeLabelProto>> ResourceManager::NodeLabels() {
  HOWDAH_TRY(auto response,
             Call<GetClusterNodeLabelsResponseProto>("listing the cluster's node labels", "getClusterNodeLabels",
                                                     GetClusterNodeLabelsRequestProto()));
  return ToVector(*response.mutable_nodelabels());
}

Result<std::vector<LabelsToNodeIdsProto>> ResourceManager::LabelsToNodes(const std::vector<std::string>& labels) {
  GetLabelsToNodesRequestProto request;
  for (const std::string& label : labels) request.add_nodelabels(label);
  HOWDAH_TRY(auto response,
             Call<GetLabelsToNodesResponseProto>("asking which nodes have labels", "getLabelsToNodes", request));
  return ToVector(*response.mutable_labelstonodes());
}

Result<std::vector<ResourceTypeInfoProto>> ResourceManager::ResourceTypes() {
  HOWDAH_TRY(auto response,
             Call<GetAllResourceTypeInfoResponseProto>("asking for the cluster's resource types", "getResourceTypeInfo",
                                                       GetAllResourceTypeInfoRequestProto()));
  return ToVector(*response.mutable_resource_type_info());
}

Result<std::vector<ApplicationAttemptReportProto>> ResourceManager::Attempts(const ApplicationId& id) {
  GetApplicationAttemptsRequestProto request;
  *request.mutable_application_id() = ToProto(id);
  HOWDAH_TRY(auto response, Call<GetApplicationAttemptsResponseProto>("listing the attempts of " + ToText(id),
                                                                      "getApplicationAttempts", request));
  return ToVector(*response.mutable_application_attempts());
}

Result<std::vector<ContainerReportProto>> ResourceManager::Containers(const AttemptId& id) {
  GetContainersRequestProto request;
  *request.mutable_application_attempt_id() = ToProto(id);
  HOWDAH_TRY(auto response,
             Call<GetContainersResponseProto>("listing the containers of " + ToText(id), "getContainers", request));
  return ToVector(*response.mutable_containers());
}

Result<hadoop::rpc::Token> ResourceManager::GetDelegationToken(const std::string& renewer) {
  ::hadoop::common::GetDelegationTokenRequestProto request;
  request.set_renewer(renewer);
  const std::string doing = "asking the ResourceManager for a delegation token";
  HOWDAH_TRY(const auto response,
             Call<::hadoop::common::GetDelegationTokenResponseProto>(doing, "getDelegationToken", request));
  if (!response.has_token()) return Failed(doing + ": none was returned");
  return hadoop::rpc::FromProto(response.token());
}

Result<Instant> ResourceManager::ValidityOfNewToken(const std::string& user) {
  HOWDAH_TRY(const auto token, GetDelegationToken(user));
  ::hadoop::common::RenewDelegationTokenRequestProto renew;
  *renew.mutable_token() = hadoop::rpc::ToProto(token);
  const auto renewed = Call<::hadoop::common::RenewDelegationTokenResponseProto>(
      "renewing a delegation token of the ResourceManager", "renewDelegationToken", renew);
  ::hadoop::common::CancelDelegationTokenRequestProto cancel;
  *cancel.mutable_token() = renew.token();
  const auto cancelled = Call<::hadoop::common::CancelDelegationTokenResponseProto>(
      "cancelling a delegation token of the ResourceManager", "cancelDelegationToken", cancel);
  if (!renewed.ok()) return renewed.error();
  if (!cancelled.ok()) return cancelled.error();
  return FromMillis(static_cast<int64_t>(renewed->newexpirytime()));
}

}  // namespace howdah::hadoop::yarn
