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
    // The last call, made once and never from within the factory function. If broken is false, the owner delivers the
    // frames sent so far, then finishes the stream. If broken is true, the owner ends the stream immediately. The
    // handler may destroy the endpoint.
    std::function<void(bool broken)> on_over;
  };
  virtual ~RemoteEndpoint() = default;
  virtual void OnFrame(const wire::Frame& frame) = 0;
  // To be called when the stream has ended. on_over follows, now or later, unless it was called before.
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
  // request: must have no standard streams. terminal: null to connect the process by pipes.
  static std::variant<std::unique_ptr<RemoteProcess>, os::process::SpawnError> Start(boost::asio::io_context& loop,
                                                                                     os::process::SpawnRequest request,
                                                                                     const Terminal* terminal,
                                                                                     Handlers handlers);
  virtual pid_t pid() const = 0;
  // To be called by the owner, which reaps children, when the process has ended.
  virtual void OnExited(const ExitStatus& status) = 0;
};

}  // namespace howdah::rpc::streams
