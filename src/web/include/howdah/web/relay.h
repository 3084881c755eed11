// Relays requests to other servers, which the program reaches by connections of its own: servers in tasks, through the
// tunnels of a job. Bodies and WebSockets of any length pass in both directions without being stored.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "howdah/web/message.h"

namespace howdah::web {

// A connection to another server, for one request. Used on the loop's thread only. The destructor breaks the connection
// if it has not ended, and may be called within an event. No event follows.
class Upstream {
 public:
  struct Events {
    std::function<void()> on_open;                    // the server has accepted the connection; nothing is sent before
    std::function<void(std::string bytes)> on_bytes;  // the relay calls Take for them, at once or later
    std::function<void()> on_end;                     // the server sends no more
    std::function<void(size_t bytes)> on_taken;       // this many of the sent bytes need no memory any more
    std::function<void(Problem)> on_failed;           // the last event, also after on_open
  };
  virtual ~Upstream() = default;
  virtual void Send(std::string bytes) = 0;
  // Sends no more. The server sees the end of its input.
  virtual void End() = 0;
  // The upstream must limit the received bytes that were not taken, and may wait until 256 KiB have been taken.
  virtual void Take(size_t bytes) = 0;
};

// A server to which a request is relayed.
struct RelayTarget {
  std::string authority;      // the Host that the server receives: "127.0.0.1:8888"
  std::string origin;         // under which the browser knows the server: scheme, host name and port
  std::string cookie_prefix;  // cookies whose names begin so belong to the relay, and never pass it
  // Header fields of requests that must not reach the server. May be empty.
  std::function<bool(const Headers::Field& field)> hides;
  // Begins a connection. An event never occurs within this call.
  std::function<std::unique_ptr<Upstream>(Upstream::Events events)> connect;
};

// The way to handle a request: serve it as any other; answer with a response; or relay it.
using RelayDecision = std::variant<std::monostate, Response, RelayTarget>;

}  // namespace howdah::web
