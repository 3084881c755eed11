// Streams into the job: who opens one is joined to the executor of the task it is for, or served here.
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

// One thread: the AM's loop.
class Tunnels {
 public:
  struct World {
    std::function<rpc::AmServer&()> server;
    // Where the task runs, and its executor is there; an error says why it cannot be reached.
    std::function<Result<ContainerId>(const std::string& role, int index)> container;
    std::function<void(const ContainerId&, const wire::ToExecutor&)> order;
    // Where the job's TensorBoard serves, on the loopback interface; an error says why there is none.
    std::function<Result<uint16_t>()> tensorboard;
  };
  Tunnels(boost::asio::io_context& loop, World world) : loop_(loop), world_(std::move(world)) {}

  void OnTunnel(rpc::ConnectionId tunnel, const wire::Open& open);
  void OnAcceptTunnel(rpc::ConnectionId carry, uint64_t id);
  // Ends what the AM serves itself; before the server goes.
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
  World world_;
  uint64_t last_id_ = 0;
  std::unordered_map<uint64_t, Awaited> awaited_;  // until an executor carries them
  std::unordered_map<rpc::ConnectionId, Served> served_;
};

}  // namespace howdah::am
