// A small HTTP/1.1 server on an event loop: GET and HEAD, where it is allowed PUT and DELETE too, one request a
// connection. Anybody may connect to it and send anything.
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
  std::string path;    // as sent, before any '?': "/log/worker/0"
  std::string peer;    // IP address of who asks: "10.0.0.7", "::1"; IPv4 within IPv6 as IPv4
  std::string method;  // "GET", "HEAD", "PUT", "DELETE"
  std::string body;    // of a PUT
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;      // a HEAD is answered without it
  std::string location;  // of a redirect
};

// One thread: the loop's.
class Server {
 public:
  // respond: to be called once, now or later, on the loop's thread; after the server is gone it does nothing.
  using Handler = std::function<void(const Request& request, std::function<void(Response)> respond)>;
  struct Limits {
    size_t header_bytes = 8 << 10;
    size_t body_bytes = 0;                    // of a PUT; 0: neither PUT nor DELETE is answered
    size_t connections = 32;                  // more are closed at once
    std::chrono::milliseconds read{5'000};    // for the request, whole
    std::chrono::milliseconds write{20'000};  // for the answer to be made and taken
  };

  // Listens on an address of this machine and a port that was free.
  static Result<std::unique_ptr<Server>> Start(boost::asio::io_context& loop, const std::string& host, Handler handler,
                                               const Limits& limits);
  // Closes every connection.
  virtual ~Server() = default;
  virtual uint16_t port() const = 0;
};

}  // namespace howdah::os::http
