// Forwards a port of this machine's loopback interface into a running job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"

namespace howdah::rpc::streams {

// The remote endpoint of the forwarded connections.
struct Target {
  std::string role;  // empty for the job's own TensorBoard
  int index = 0;
  uint16_t port = 0;  // a port of the loopback interface of the task's machine
};

class PortForward {
 public:
  // Listens on 127.0.0.1 and `port` (0: any free port), and serves any number of connections on its own thread. Only
  // programs of this user may connect, because other users of the machine are not trusted. If a connection cannot be
  // made, on_problem is called on that thread with the reason, as one line for people.
  static Result<std::unique_ptr<PortForward>> Start(uint16_t port, const rpc::AmContact& am, const Target& target,
                                                    std::function<void(const std::string& line)> on_problem);
  // Closes every connection.
  virtual ~PortForward() = default;
  virtual uint16_t port() const = 0;
  // Closes the open connections, and makes new ones through another AM of the job. Thread-safe.
  virtual void Use(const rpc::AmContact& am) = 0;
};

}  // namespace howdah::rpc::streams
