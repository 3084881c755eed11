// A small HTTP/1.1 server on an event loop: GET and HEAD, optionally PUT and DELETE, one request per connection.
// Clients are untrusted.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"

namespace howdah::os::http {

struct Request {
  std::string path;    // without the query, otherwise as sent: "/log/worker/0"
  std::string peer;    // IP address of the client: "10.0.0.7", "::1"; IPv4-mapped IPv6 as IPv4
  std::string method;  // "GET", "HEAD", "PUT", "DELETE"
  std::string body;    // set only for a PUT, which must have a Content-Length
  std::string cookie;  // the header Cookie as sent (RFC 6265); "" if there is none
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;      // not sent in the answer to HEAD
  std::string location;  // the target, if the response is a redirect
};

// Use only on the loop's thread.
class Server {
 public:
  // Must answer a request by calling `respond` once, immediately or later, on the loop's thread. After the server is
  // destroyed, `respond` has no effect.
  using Handler = std::function<void(const Request& request, std::function<void(Response)> respond)>;
  struct Limits {
    size_t header_bytes = 8 << 10;
    size_t body_bytes = 0;  // the limit for the body of a PUT; if 0, PUT and DELETE are rejected
    // Maximum number of open connections of known clients. At the limit a new connection replaces the oldest one that
    // has not sent a complete request. If all have sent one, the new connection is closed immediately.
    size_t connections = 32;
    // Returns whether the client is known. If this function is empty, every client is known. Called for every
    // connection, with the accepted socket and the peer as in Request, so it must not block.
    std::function<bool(int socket, const std::string& peer)> known;
    size_t strangers = 16;                    // like `connections`, for clients that are not known; 0: refuse them
    std::chrono::milliseconds read{5'000};    // time limit for receiving the whole request
    std::chrono::milliseconds write{20'000};  // time limit for producing and sending the response
  };

  // Listens on an address of this machine and a free port.
  static Result<std::unique_ptr<Server>> Start(boost::asio::io_context& loop, const std::string& host, Handler handler,
                                               const Limits& limits);
  // Closes every connection.
  virtual ~Server() = default;
  virtual uint16_t port() const = 0;
};

}  // namespace howdah::os::http
