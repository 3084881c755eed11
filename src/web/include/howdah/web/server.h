// An HTTP/1.1 server on an event loop: keep-alive, streamed bodies, ranges, compression; TCP, unix sockets, TLS.
// Clients are untrusted: each resource that a client can hold is limited in size and time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/web/message.h"
#include "howdah/web/policy.h"
#include "howdah/web/relay.h"

namespace howdah::web {

// Where a server listens.
struct Endpoint {
  std::string host;              // an IP address: "127.0.0.1", "::1"
  uint16_t port = 0;             // 0: a free port
  bool port_may_change = false;  // if the port is in use, take a free one
  std::string unix_path;  // if set, a unix socket of mode 0600 instead of host and port. A stale socket is replaced

  // Parses "127.0.0.1:8190", "[::1]:8190", "localhost:8190" (127.0.0.1) or "unix:PATH". Returns kUsage for other texts.
  static Result<Endpoint> Parse(std::string_view text);
};

struct Limits {
  size_t header_bytes = 16 << 10;  // 431
  size_t body_bytes = 1 << 20;     // 413
  // Open connections of known peers. At the limit, a new connection replaces the connection that has been idle for
  // longest, or else the oldest one that has not sent a complete request. If there is none, the new one is closed.
  size_t connections = 512;
  size_t strangers = 16;  // like `connections`, for peers that Options::known does not know

  Duration request = std::chrono::seconds(10);  // from the first byte of a request to its last
  Duration answer = std::chrono::seconds(60);   // until the handler calls `respond`; then 504
  Duration idle = std::chrono::seconds(75);     // from one request to the next
  Duration write = std::chrono::seconds(30);    // for the client to accept 64 KiB; slower clients are disconnected
  Duration heartbeat = std::chrono::seconds(15);
  Duration stop = std::chrono::seconds(5);  // for responses in progress when the server stops
  // A relayed connection on which no byte passes for this long ends, and at the latest after twice this time. It is
  // also the limit for a relay's client to accept 64 KiB, because the other server decides how slow a client may be.
  Duration relay_silence = std::chrono::hours(1);

  size_t full_bytes = 256 << 10;  // BodyWriter::full
  size_t queue_bytes = 8 << 20;   // a response with more queued bytes before a write is aborted
};

// Figures since the start, for a metrics page.
struct Statistics {
  uint64_t connections = 0;  // accepted
  uint64_t turned_away = 0;  // connections closed immediately because of a limit
  size_t open = 0;           // connections now
  size_t streams = 0;        // streamed and ranged bodies now
  uint64_t requests = 0;     // answered
  uint64_t answers[6] = {};  // by the first digit of the status: answers[4] counts 4xx
  uint64_t bytes_sent = 0;
};

// Use only on the loop's thread.
class Server {
 public:
  struct Options {
    std::vector<Endpoint> endpoints;
    Limits limits;
    Policy policy;
    // Set on each response that does not have these fields itself.
    Headers default_headers = {{"X-Content-Type-Options", "nosniff"},
                               {"Cross-Origin-Resource-Policy", "same-origin"},
                               {"Referrer-Policy", "same-origin"},
                               {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
                               {"Cache-Control", "no-store"}};
    // Whether a new connection's peer is known. If empty, every peer is known. Must not block.
    std::function<bool(const Peer&)> known;
    // Decides which requests are relayed to other servers. Called with the header of each request, before the policy,
    // whose rules do not hold for relayed requests; the function must check Host, Origin and the peer itself. If empty,
    // no request is relayed. Must not block.
    std::function<RelayDecision(const Request&)> relay;
    // Called with the header of each request that the policy admits, before its body is read: authentication. Returns
    // the refusal, or nullopt. If empty, every request is admitted. Must not block.
    std::function<std::optional<Problem>(const Request&)> admit;
    // The answer to a request that failed, if it is not to be ToResponse(problem); for example a page for browsers.
    // `request` lacks the fields that could not be parsed. Also called for a relayed request that failed before its
    // response began.
    std::function<Response(const Request& request, const Problem& problem)> error_page;
  };

  // Listens on all endpoints, or on none if one fails. Returns kUnavailable if an address or port is in use, kUsage if
  // an address is invalid. The handler is called on the loop's thread.
  static Result<std::unique_ptr<Server>> Start(boost::asio::io_context& loop, Options options, Handler handler);
  // Closes every connection at once, and removes the unix sockets.
  virtual ~Server() = default;
  // Stops gracefully: accepts no connection, closes idle ones, closes writers of streamed bodies of unknown size, and
  // lets other responses finish within Limits::stop. Calls `stopped` when no connection is left.
  virtual void Stop(std::function<void()> stopped) = 0;
  // The endpoints with the actual ports.
  virtual const std::vector<Endpoint>& endpoints() const = 0;
  // The hosts of the policy usually contain the port, which is known only after Start.
  virtual void SetPolicy(Policy policy) = 0;
  virtual Statistics statistics() const = 0;
};

}  // namespace howdah::web
