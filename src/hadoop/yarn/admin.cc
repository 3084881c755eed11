#include "howdah/hadoop/yarn/admin.h"

#include <chrono>
#include <utility>

#include "howdah/hadoop/messages/yarn_admin.pb.h"
#include "rm_options.h"

namespace howdah::hadoop::yarn {
namespace {

constexpr const char* kAdminProtocol = "org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocolPB";

int WholeSeconds(Duration duration) {
  return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(duration).count());
}

}  // namespace

Result<ResourceManagerAdmin> ResourceManagerAdmin::Open(const conf::Configuration& configuration, rpc::Login login,
                                                        rpc::RetryLimits limits) {
  HOWDAH_TRY(auto options, RmOptions(configuration, conf::RmService::kAdmin, std::move(login), limits));
  return ResourceManagerAdmin(std::move(options));
}

ResourceManagerAdmin::ResourceManagerAdmin(rpc::ClientOptions options)
    : client_([&options] {
        options.protocol = kAdminProtocol;
        return std::move(options);
      }()) {}

Status ResourceManagerAdmin::RefreshNodes(Decommission kind, Duration timeout) {
  ::hadoop::yarn::RefreshNodesRequestProto request;
  request.set_decommissiontype(kind == Decommission::kAtOnce ? ::hadoop::yarn::NORMAL : ::hadoop::yarn::GRACEFUL);
  if (kind == Decommission::kGracefully) request.set_decommissiontimeout(WholeSeconds(timeout));
  const auto response = client_.Call<::hadoop::yarn::RefreshNodesResponseProto>("refreshNodes", request);
  if (!response.ok()) return response.error().While("letting the ResourceManager read its exclude file");
  return {};
}

Result<std::vector<std::string>> ResourceManagerAdmin::DecommissioningNodes() {
  const auto response = client_.Call<::hadoop::yarn::CheckForDecommissioningNodesResponseProto>(
      "checkForDecommissioningNodes", ::hadoop::yarn::CheckForDecommissioningNodesRequestProto());
  if (!response.ok()) return response.error().While("asking for the nodes that are being decommissioned");
  std::vector<std::string> nodes;
  for (const auto& node : response->decommissioningnodes()) nodes.push_back(ToText(FromProto(node)));
  return nodes;
}

Status ResourceManagerAdmin::UpdateNodeResource(const NodeId& node, const Resource& resource, Duration overcommit) {
  ::hadoop::yarn::UpdateNodeResourceRequestProto request;
  auto* const change = request.add_node_resource_map();
  *change->mutable_node_id() = ToProto(node);
  *change->mutable_resource_option()->mutable_resource() = ToProto(resource);
  change->mutable_resource_option()->set_over_commit_timeout(WholeSeconds(overcommit));
  const auto response = client_.Call<::hadoop::yarn::UpdateNodeResourceResponseProto>("updateNodeResource", request);
  if (!response.ok()) return response.error().While("changing the resources of the node " + ToText(node));
  return {};
}

}  // namespace howdah::hadoop::yarn
