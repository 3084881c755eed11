// An application master's calls to NodeManagers (org.apache.hadoop.yarn.api.ContainerManagementProtocol).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/rpc/asio_client.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::hadoop::yarn {

// Use only on the loop's thread. Each node has its own connection, so that an unreachable node does not delay calls to
// others. A connection is opened when it is needed and closed when it is idle.
class NodeManagers {
 public:
  // Limits for connecting and for a call. They are short, because replacing a container is better than waiting for a
  // node that does not answer.
  static hadoop::rpc::RetryLimits DefaultLimits();

  explicit NodeManagers(boost::asio::io_context& loop, hadoop::rpc::RetryLimits limits = DefaultLimits());

  // Stores a node's token from a response of the ResourceManager. The ResourceManager sends the token with the first
  // container on the node, and again when the token has changed.
  void AddToken(const ::hadoop::yarn::NMTokenProto& token);

  // Starts a container. `done` receives success once the NodeManager has accepted the container, which may not be
  // running yet. It receives an error if the NodeManager refused the container (with its reason) or could not be
  // reached. If the container is already running because an earlier answer was lost, `done` receives success.
  void Start(const ::hadoop::yarn::ContainerProto& container, ::hadoop::yarn::ContainerLaunchContextProto context,
             std::function<void(Status)> done);
  // Stops a container. `done` receives success once the NodeManager is stopping it, and kNotFound if it does not exist
  // any more.
  void Stop(const NodeId& node, const ContainerId& container, std::function<void(Status)> done);
  // Queries the state of a container. `done` receives kNotFound if the NodeManager does not have it.
  void Ask(const NodeId& node, const ContainerId& container,
           std::function<void(Result<::hadoop::yarn::ContainerStatusProto>)> done);

 private:
  struct Node {
    explicit Node(boost::asio::io_context& loop) : idle(loop) {}
    std::optional<hadoop::rpc::Token> token;
    std::unique_ptr<hadoop::rpc::AsioClient> client;
    int calls = 0;
    uint64_t used = 0;
    boost::asio::steady_timer idle;
  };
  Node& At(const NodeId& id);
  template <typename Response>
  void Call(const NodeId& id, std::string_view method, const google::protobuf::MessageLite& request,
            std::function<void(Result<Response>)> done);
  void CloseWhenIdle(const NodeId& id, Node& node);

  boost::asio::io_context& loop_;
  const hadoop::rpc::RetryLimits limits_;
  std::map<NodeId, Node> nodes_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// The result for one container in the answer to a request that starts containers.
Status StartStatus(const ::hadoop::yarn::StartContainersResponseProto& response, const ContainerId& container);

// Whether a NodeManager refused to start a container because a ResourceManager that is not active any more has granted
// it.
bool IsGrantOutdated(const Error& refusal);

}  // namespace howdah::hadoop::yarn
