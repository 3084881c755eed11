// Lets an executor find the next AM after its AM has died. The executor cannot look for the next AM, which may run on
// another node, so the next AM calls the executor. Each executor listens on a port from its start, and registers its
// callback address (IP address, port and a secret) with its AM. The next AM reads the callback address from the event
// log, connects, and sends one line: the secret and its own address. The secret proves that the caller has the event
// log. The executor then opens a connection to that AM. The mutual TLS of this connection proves that the caller is an
// AM of this job.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::rpc::callback {

// The executor's side. Used on the loop's thread only.
class CallbackListener {
 public:
  using OnCalled = std::function<void(const std::string& am_address)>;
  // host: an IP address of this machine that the AM's machine can reach. on_called is called for each received line
  // that has the right secret.
  static Result<std::unique_ptr<CallbackListener>> Listen(boost::asio::io_context& loop, const std::string& host,
                                                          OnCalled on_called);
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
  // the result of CallbackListener::address; an invalid one is ignored.
  void Call(const ContainerId& container, const std::string& callback_address, const std::string& am_address);
  // Stops calling. Use when the executor has connected or its container has ended.
  void Stop(const ContainerId& container);

 private:
  class Calling;

  boost::asio::io_context& loop_;
  std::unordered_map<ContainerId, std::shared_ptr<Calling>> calls_;
};

}  // namespace howdah::rpc::callback
