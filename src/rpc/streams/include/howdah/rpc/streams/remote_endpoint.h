// The remote endpoint of a frame stream, on the machine of a task: a connection to a server's port, or a process.
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

// Used on the loop's thread only. The owner of the stream owns the endpoint and passes every frame after the Open to
// it.
class RemoteEndpoint {
 public:
  struct Handlers {
    std::function<void(const wire::Frame&)> send;
    // Called once, as the last handler, but never from within the function that creates the endpoint. If broken is
    // false, the owner must deliver the frames sent so far and then finish the stream. If broken is true, the owner
    // must end the stream immediately. The handler may destroy the endpoint.
    std::function<void(bool broken)> on_over;
  };
  virtual ~RemoteEndpoint() = default;
  virtual void OnFrame(const wire::Frame& frame) = 0;
  // Must be called when the stream has ended. on_over follows, immediately or later, unless it was called before.
  virtual void OnClosed() = 0;
};

// Connects to a server on the loopback interface, first by IPv4, then by IPv6.
std::unique_ptr<RemoteEndpoint> ConnectLoopback(boost::asio::io_context& loop, uint16_t port,
                                                RemoteEndpoint::Handlers handlers);

// A process with its standard streams, in its own process group. If the frame stream ends before the process, the group
// receives SIGHUP, and SIGKILL 5 s later.
class RemoteProcess : public RemoteEndpoint {
 public:
  struct Terminal {
    std::string type;
    uint32_t rows = 0, columns = 0;
  };
  // request: must not set standard streams. terminal: null if the process gets pipes.
  static std::variant<std::unique_ptr<RemoteProcess>, os::process::SpawnError> Start(boost::asio::io_context& loop,
                                                                                     os::process::SpawnRequest request,
                                                                                     const Terminal* terminal,
                                                                                     Handlers handlers);
  virtual pid_t pid() const = 0;
  // Must be called when the process has ended. The owner reaps children, so only the owner can detect that.
  virtual void OnExited(const ExitStatus& status) = 0;
};

}  // namespace howdah::rpc::streams
