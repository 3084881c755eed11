#include "howdah/hadoop/yarn/node_managers.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "howdah/hadoop/rpc/token_proto.h"
#include "howdah/hadoop/yarn/resource_manager.h"

namespace howdah::hadoop::yarn {
namespace {

using namespace std::chrono_literals;
using namespace ::hadoop::yarn;

constexpr auto kIdle = 10s;

// Returns the exception that the response has for one container, or null if there is none.
template <typename Response>
const SerializedExceptionProto* FailureOf(const Response& response, const ContainerId& container) {
  for (const ContainerExceptionMapProto& failed : response.failed_requests())
    if (FromProto(failed.container_id()) == container) return &failed.exception();
  return nullptr;
}

Error ToError(const SerializedExceptionProto& exception) {
  Error error = Failed(FirstLine(exception.message()));
  error.remote_class = exception.class_name();
  if (error.message.empty()) error.message = exception.class_name();
  // Recognise an unknown container by the text, because NodeManagers have no exception class for this error.
  if (exception.message().find("is not handled by this NodeManager") != std::string::npos)
    error.code = ErrorCode::kNotFound;
  return error;
}

}  // namespace

Status StartStatus(const StartContainersResponseProto& response, const ContainerId& container) {
  const SerializedExceptionProto* failed = FailureOf(response, container);
  if (failed == nullptr) return {};
  const std::string& message = failed->message();
  if (message.find("already is running on this node") != std::string::npos ||
      message.find("Attempt to relaunch the same container") != std::string::npos) {
    return {};
  }
  return ToError(*failed);
}

// ContainerManagerImpl throws this exception in no other case.
bool IsGrantOutdated(const Error& refusal) {
  return refusal.remote_class == "org.apache.hadoop.yarn.exceptions.InvalidContainerException";
}

hadoop::rpc::RetryLimits NodeManagers::DefaultLimits() {
  return {.connect = 5s, .call = 20s, .give_up = 8s, .backoff_most = 1s};
}

NodeManagers::NodeManagers(boost::asio::io_context& loop, hadoop::rpc::RetryLimits limits)
    : loop_(loop), limits_(limits) {}

NodeManagers::Node& NodeManagers::At(const NodeId& id) { return nodes_.try_emplace(id, loop_).first->second; }

void NodeManagers::AddToken(const NMTokenProto& token) {
  Node& node = At(FromProto(token.nodeid()));
  node.token = hadoop::rpc::FromProto(token.token());
  if (node.client) node.client->SetToken(*node.token, false);
}

template <typename Response>
void NodeManagers::Call(const NodeId& id, std::string_view method, const google::protobuf::MessageLite& request,
                        std::function<void(Result<Response>)> done) {
  Node& node = At(id);
  if (!node.token) {
    boost::asio::post(loop_, [id, done = std::move(done)] {
      done(Failed("the ResourceManager has sent no token for the NodeManager " + ToText(id)));
    });
    return;
  }
  if (!node.client) {
    hadoop::rpc::ClientOptions options{.servers = {{id.host, static_cast<uint16_t>(id.port)}},
                                       .protocol = "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB",
                                       .login = {.token = node.token},
                                       .limits = limits_};
    options.service_name = "the NodeManager";
    options.configured_by = "the ResourceManager";
    node.client = std::make_unique<hadoop::rpc::AsioClient>(loop_, std::move(options));
  }
  ++node.calls;
  ++node.used;
  node.client->Call<Response>(
      method, request, hadoop::rpc::Repeat::kSafe,
      [this, id, done = std::move(done), alive = std::weak_ptr(alive_)](Result<Response> response) {
        if (alive.expired()) return;
        Node& at = At(id);
        if (--at.calls == 0) CloseWhenIdle(id, at);
        done(std::move(response));
      });
}

void NodeManagers::CloseWhenIdle(const NodeId& id, Node& node) {
  node.idle.expires_after(kIdle);
  node.idle.async_wait([this, id, used = node.used, alive = std::weak_ptr(alive_)](const auto& error) {
    if (error || alive.expired()) return;
    Node& at = At(id);
    if (at.calls == 0 && at.used == used) at.client.reset();
  });
}

void NodeManagers::Start(const ContainerProto& container, ContainerLaunchContextProto context,
                         std::function<void(Status)> done) {
  StartContainersRequestProto request;
  StartContainerRequestProto& start = *request.add_start_container_request();
  *start.mutable_container_launch_context() = std::move(context);
  *start.mutable_container_token() = container.container_token();
  const ContainerId id = FromProto(container.id());
  Call<StartContainersResponseProto>(FromProto(container.nodeid()), "startContainers", request,
                                     [id, done = std::move(done)](Result<StartContainersResponseProto> response) {
                                       done(response ? StartStatus(*response, id) : Status(response.error()));
                                     });
}

void NodeManagers::Stop(const NodeId& node, const ContainerId& container, std::function<void(Status)> done) {
  StopContainersRequestProto request;
  *request.add_container_id() = ToProto(container);
  Call<StopContainersResponseProto>(node, "stopContainers", request,
                                    [container, done = std::move(done)](Result<StopContainersResponseProto> response) {
                                      if (!response) return done(response.error());
                                      const auto* failed = FailureOf(*response, container);
                                      done(failed ? Status(ToError(*failed)) : Status());
                                    });
}

void NodeManagers::Ask(const NodeId& node, const ContainerId& container,
                       std::function<void(Result<ContainerStatusProto>)> done) {
  GetContainerStatusesRequestProto request;
  *request.add_container_id() = ToProto(container);
  Call<GetContainerStatusesResponseProto>(
      node, "getContainerStatuses", request,
      [container, done = std::move(done)](Result<GetContainerStatusesResponseProto> response) {
        if (!response) return done(response.error());
        for (const ContainerStatusProto& status : response->status())
          if (FromProto(status.container_id()) == container) return done(status);
        const auto* failed = FailureOf(*response, container);
        done(failed ? ToError(*failed) : Failed("the NodeManager did not report " + ToText(container)));
      });
}

}  // namespace howdah::hadoop::yarn
