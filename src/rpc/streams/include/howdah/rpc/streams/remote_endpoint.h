// The remote endpoint of a frame stream, in the job: a server's port on this machine, or a process.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "howdah/base/exit_status.h"
#include "howdah/os/process/spawn.h"
#include "howdah/wire/tunnel.pb.h"

namespace howdah::rpc::streams {

// Used on the loop's thread only. The owner of the stream owns it and passes it every frame after the Open.
class RemoteEndpoint {
 public:
  struct Handlers {
    std::function<void(const wire::Frame&)> send;
    // The last call, made once and never from within the factory function. broken false: deliver what was sent, then
    // finish the stream; true: end the stream immediately. May destroy the endpoint.
    std::function<void(bool broken)> on_over;
  };
  virtual ~RemoteEndpoint() = default;
  virtual void OnFrame(const wire::Frame& frame) = 0;
  // The stream has ended; on_finished follows, now or later.
  virtual void OnClosed() = 0;
};

// Connects to a server on the loopback interface: IPv4 first, then IPv6.
std::unique_ptr<RemoteEndpoint> ConnectLoopback(boost::asio::io_context& loop, uint16_t port,
                                                RemoteEndpoint::Handlers handlers);

// A process with its streams, in its own process group. If the stream ends first, the group receives SIGHUP, and
// SIGKILL 5 s later.
class RemoteProcess : public RemoteEndpoint {
 public:
  struct Terminal {
    std::string type;
    uint32_t rows = 0, columns = 0;
  };
  // request: without streams. terminal: null for pipes.
  static std::variant<std::unique_ptr<RemoteProcess>, os::process::SpawnError> Start(boost::asio::io_context& loop,
                                                                                     os::process::SpawnRequest request,
                                                                                     const Terminal* terminal,
                                                                                     Handlers handlers);
  virtual pid_t pid() const = 0;
  // The owner, which reaps children, reports that the process has ended.
  virtual void OnExited(const ExitStatus& status) = 0;
};

}  // namespace howdah::rpc::streams
