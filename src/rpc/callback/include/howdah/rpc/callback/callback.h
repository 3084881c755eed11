// Lets an executor find the next AM after its AM has died. The next AM may run on another node, so it calls the
// executor. Each executor listens on a port from its start. It registers its callback address (IP address, port and a
// secret) with its AM. The next AM reads the callback address from the event log and connects. The executor sends a
// nonce; the AM answers with its own address and a code computed from secret, nonce and address. The code proves that
// the caller has the event log, and the secret is never sent. The executor then opens a connection to the AM; the
// mutual TLS of that connection proves that the caller is an AM of this job.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::rpc::callback {

// The executor's side. Used on the loop's thread only.
class CallbackListener {
 public:
  using OnCalled = std::function<void(const std::string& am_address)>;
  // Anyone may connect. A connection that exceeds a time limit is closed. If there are too many connections, the oldest
  // one is closed.
  struct Limits {
    size_t connections = 32;
    std::chrono::milliseconds first_byte{200};  // from the executor's nonce to the caller's first byte
    std::chrono::milliseconds line{1000};       // from the nonce to the end of the caller's line
  };
  // host: an IP address of this machine that the AM's machine can reach. on_called is called for each caller that has
  // proved to know the secret.
  static Result<std::unique_ptr<CallbackListener>> Listen(boost::asio::io_context& loop, const std::string& host,
                                                          OnCalled on_called, const Limits& limits);
  static Result<std::unique_ptr<CallbackListener>> Listen(boost::asio::io_context& loop, const std::string& host,
                                                          OnCalled on_called) {
    return Listen(loop, host, std::move(on_called), Limits{});
  }
  virtual ~CallbackListener() = default;
  // Returns the callback address for CallbackClient::Call: "10.0.0.7:40123 5f0c...". It contains the secret.
  virtual std::string address() const = 0;
};

// The AM's side. Used on the loop's thread only.
class CallbackClient {
 public:
  explicit CallbackClient(boost::asio::io_context& loop) : loop_(loop) {}
  CallbackClient(const CallbackClient&) = delete;
  CallbackClient& operator=(const CallbackClient&) = delete;
  ~CallbackClient();

  // Calls the executor repeatedly until Stop: first immediately, then after pauses that grow to 5 s. callback_address:
  // from CallbackListener::address; an invalid one is ignored.
  void Call(const ContainerId& container, const std::string& callback_address, const std::string& am_address);
  // Stops calling: the executor has connected, or its container has ended.
  void Stop(const ContainerId& container);

 private:
  class Calling;

  boost::asio::io_context& loop_;
  std::unordered_map<ContainerId, std::shared_ptr<Calling>> calls_;
};

}  // namespace howdah::rpc::callback
