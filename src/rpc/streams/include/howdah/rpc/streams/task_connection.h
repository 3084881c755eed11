// Connections to servers in a running job, as bytes in memory. For programs that speak with these servers themselves,
// without a local port (port_forward.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"
#include "howdah/rpc/post.h"
#include "howdah/rpc/streams/port_forward.h"

namespace howdah::rpc::streams {

// One connection. Used on the owner's loop thread only. The destructor breaks the connection if it has not ended, and
// may be called within an event. No event follows.
class TaskConnection {
 public:
  // At most this number of bytes may have been sent and not yet been taken, in each direction.
  static constexpr size_t kMostInFlight = size_t{1} << 20;
  // The peer reports taken bytes in steps of this size, so a sender must not wait for less.
  static constexpr size_t kTakenStep = kMostInFlight / 4;

  struct Failure {
    std::string why;      // for people
    bool opened = false;  // the connection had been made
    // The server or its task refused: another attempt, also through another AM, would fail as well.
    bool refused = false;
  };
  struct Events {
    std::function<void()> on_open;                    // the server has accepted the connection
    std::function<void(std::string bytes)> on_bytes;  // the receiver must call Take for them, at once or later
    std::function<void()> on_end;                     // the server sends no more
    std::function<void(size_t bytes)> on_taken;       // the server has taken this many of the sent bytes
    std::function<void(Failure)> on_failed;           // the last event
  };
  virtual ~TaskConnection() = default;
  virtual void Send(std::string bytes) = 0;
  // Sends no more. The server sees the end of its input.
  virtual void End() = 0;
  // Reports that this many received bytes need no memory any more, so that the server may send as many again.
  virtual void Take(size_t bytes) = 0;
};

// The connections to one job. Used on the owner's loop thread only.
class TaskConnections {
 public:
  // post: runs closures on that thread. Connects with the first call of Open.
  static Result<std::unique_ptr<TaskConnections>> Make(const rpc::AmContact& am, rpc::Post post);
  // Breaks all connections, without events.
  virtual ~TaskConnections() = default;
  // Returns immediately. An event never occurs within this call.
  virtual std::unique_ptr<TaskConnection> Open(const Target& target, TaskConnection::Events events) = 0;
};

}  // namespace howdah::rpc::streams
