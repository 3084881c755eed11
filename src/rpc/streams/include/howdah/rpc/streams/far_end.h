// What a stream of frames leads to: a server's port of this machine, or a process.
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

// On the loop's thread. It belongs to who owns the stream, which hands it every frame behind the Open.
class FarEnd {
 public:
  struct Handlers {
    std::function<void(const wire::Frame&)> send;
    // Once, the last, and never from within the making of it. broken false: what was sent is to arrive, and the stream
    // to be finished; true: it is to be ended at once. May destroy the far end.
    std::function<void(bool broken)> on_over;
  };
  virtual ~FarEnd() = default;
  virtual void OnFrame(const wire::Frame& frame) = 0;
  // The stream is gone; on_over follows, now or later.
  virtual void OnClosed() = 0;
};

// A connection to a server that listens on the loopback interface, by IPv4 or else by IPv6.
std::unique_ptr<FarEnd> ConnectLoopback(boost::asio::io_context& loop, uint16_t port, FarEnd::Handlers handlers);

// A process with its streams, in a process group of its own. When the stream ends before the process has, its group
// gets SIGHUP, and SIGKILL 5 s later.
class FarProcess : public FarEnd {
 public:
  struct Terminal {
    std::string type;
    uint32_t rows = 0, columns = 0;
  };
  // request: without streams. terminal: null: pipes.
  static std::variant<std::unique_ptr<FarProcess>, os::process::SpawnError> Start(boost::asio::io_context& loop,
                                                                                  os::process::SpawnRequest request,
                                                                                  const Terminal* terminal,
                                                                                  Handlers handlers);
  virtual pid_t pid() const = 0;
  // It has ended, as the owner saw, who reaps.
  virtual void OnExited(const ExitStatus& status) = 0;
};

}  // namespace howdah::rpc::streams
