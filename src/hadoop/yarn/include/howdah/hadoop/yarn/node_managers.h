// An application master's dealings with NodeManagers (org.apache.hadoop.yarn.api.ContainerManagementProtocol).
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

// All on the loop's thread. A connection a node, made when it is needed and given up when it has been idle for a while:
// a node that cannot be reached keeps nobody else waiting.
class NodeManagers {
 public:
  // How long a node may take to be reached, and a call in all: a container whose node is silent is better replaced.
  static hadoop::rpc::RetryLimits DefaultLimits();

  explicit NodeManagers(boost::asio::io_context& loop, hadoop::rpc::RetryLimits limits = DefaultLimits());

  // Of a response of the ResourceManager. It sends the token of a node once, with the first container there, and again
  // when it has changed.
  void AddToken(const ::hadoop::yarn::NMTokenProto& token);

  // done: the NodeManager has taken the container; nothing of it need run yet. An error: it has not (its words), or
  // cannot be reached. A container that runs already because an earlier answer got lost is started.
  void Start(const ::hadoop::yarn::ContainerProto& container, ::hadoop::yarn::ContainerLaunchContextProto context,
             std::function<void(Status)> done);
  // done: it is being stopped, or was gone (kNotFound).
  void Stop(const NodeId& node, const ContainerId& container, std::function<void(Status)> done);
  // kNotFound: the NodeManager does not know it (any more).
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

// What became of one container of a request: its entry among the failed ones.
Status StartStatus(const ::hadoop::yarn::StartContainersResponseProto& response, const ContainerId& container);

}  // namespace howdah::hadoop::yarn
