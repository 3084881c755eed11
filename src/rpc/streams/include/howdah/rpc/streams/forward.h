// A port of this machine's loopback interface that leads into a running job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"

namespace howdah::rpc::streams {

// Where its connections end.
struct Target {
  std::string role;  // empty: at the job's own TensorBoard
  int index = 0;
  uint16_t port = 0;  // of the loopback interface where the task runs
};

class Forward {
 public:
  // Listens on 127.0.0.1 and a port that was free, or `port` if it is not 0, and serves any number of connections on a
  // thread of its own. Only programs of this user get in: other users of the machine are not trusted.
  // on_problem: told, on that thread, why a connection could not be made, as a line for a person.
  static Result<std::unique_ptr<Forward>> Start(uint16_t port, const rpc::AmContact& am, const Target& target,
                                                std::function<void(const std::string& line)> on_problem);
  // Ends every connection.
  virtual ~Forward() = default;
  virtual uint16_t port() const = 0;
  // The job has another AM now, for connections to come.
  virtual void Use(const rpc::AmContact& am) = 0;
};

}  // namespace howdah::rpc::streams
