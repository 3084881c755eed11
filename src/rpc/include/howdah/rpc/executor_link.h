// The executor's side of its stream to the AM.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "howdah/base/time.h"
#include "howdah/os/files/fd.h"
#include "howdah/rpc/am_server.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::rpc {

class ExecutorLink {
 public:
  // Called on the owner's loop thread, never after the destructor has returned. A handler may destroy the link.
  struct Handlers {
    std::function<void(wire::ToExecutor)> on_message;
    std::function<void(std::string why)> on_closed;  // called once, also if the AM could not be reached in time
    std::function<void()> on_sent;                   // called when all queued messages have been sent; may be empty
  };
  // Returns immediately; messages are queued until the connection is established. address: IP address and port,
  // "127.0.0.1:40123" or "[::1]:40123", never a host name.
  static std::unique_ptr<ExecutorLink> Connect(const std::string& address, const Identity& identity, Post post,
                                               Handlers handlers, Duration limit = std::chrono::seconds(20));
  // The same over a socket pair whose other end was passed to AmServer::AddExecutor. address: of the AM, for messages.
  static std::unique_ptr<ExecutorLink> Over(os::files::Fd socket, const std::string& address, Post post,
                                            Handlers handlers, Duration limit = std::chrono::seconds(20));
  virtual ~ExecutorLink() = default;
  virtual void Send(const wire::FromExecutor& message) = 0;
  // Sends the queued messages, then closes; on_closed follows.
  virtual void Finish() = 0;
};

}  // namespace howdah::rpc
