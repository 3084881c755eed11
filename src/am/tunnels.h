// Tunnels into the job: byte streams between clients and tasks. The AM joins a client's stream with a stream of the
// task's executor, or serves the client itself.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/rpc/am_server.h"
#include "howdah/rpc/streams/remote_endpoint.h"

namespace howdah::am {

// Call it only on the thread of the AM's loop.
class Tunnels {
 public:
  struct Ports {
    std::function<rpc::AmServer&()> server;
    // Returns the container of a task whose executor is connected. If there is none, the error states why.
    std::function<Result<ContainerId>(const std::string& role, int index)> container;
    std::function<void(const ContainerId&, const wire::ToExecutor&)> order;
    // TensorBoard's port on the loopback interface. If it does not serve, the error states why.
    std::function<Result<uint16_t>()> tensorboard;
  };
  // last_id: no id of an earlier AM of the job is higher. Otherwise, an executor that accepts a tunnel of that AM could
  // get the tunnel of another client, which may lead to another task.
  Tunnels(boost::asio::io_context& loop, uint64_t last_id, Ports ports)
      : loop_(loop), ports_(std::move(ports)), last_id_(last_id) {}

  void OnTunnel(rpc::ConnectionId tunnel, const wire::Open& open);
  void OnAcceptTunnel(rpc::ConnectionId executor_connection, uint64_t id);
  // Closes the streams that the AM serves itself. Call before the server is destroyed.
  void Close() { served_.clear(); }

 private:
  struct Awaited {
    rpc::ConnectionId tunnel = 0;
    std::unique_ptr<boost::asio::steady_timer> limit;
  };
  struct Served {
    std::unique_ptr<rpc::streams::RemoteEndpoint> end;
    std::unique_ptr<rpc::FrameStream> stream;
    bool over = false;
  };
  void ServeTensorBoard(rpc::ConnectionId tunnel);

  boost::asio::io_context& loop_;
  Ports ports_;
  uint64_t last_id_;
  std::unordered_map<uint64_t, Awaited> awaited_;  // tunnels that no executor has accepted yet
  std::unordered_map<rpc::ConnectionId, Served> served_;
};

}  // namespace howdah::am
