// How an executor whose AM has died finds the one that comes after it on another machine: that one calls it. An
// executor listens from its beginning, and tells its AM where, together with a secret; an AM after that one connects
// there and says the secret and its own address in one line. The secret shows that the caller has been told by the AM;
// that it is an AM of this job, the mutual TLS of the connection that the executor then makes.
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

// The executor's end. On the loop's thread.
class Listener {
 public:
  using OnCalled = std::function<void(const std::string& am_address)>;
  // host: an IP address of this machine at which the AM's machine reaches it. on_called: each time an AM calls.
  static Result<std::unique_ptr<Listener>> Listen(boost::asio::io_context& loop, const std::string& host,
                                                  OnCalled on_called);
  virtual ~Listener() = default;
  // For Caller::Call: "10.0.0.7:40123 5f0c...", no business of anybody else's.
  virtual std::string contact() const = 0;
};

// The AM's end. On the loop's thread.
class Caller {
 public:
  explicit Caller(boost::asio::io_context& loop) : loop_(loop) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller();

  // Calls until the executor has been reached and Stop says that it has connected: at once, then after pauses that grow
  // to 5 s. contact: a Listener's; one that is none is not called.
  void Call(const ContainerId& container, const std::string& contact, const std::string& am_address);
  // It has connected, or is gone.
  void Stop(const ContainerId& container);

 private:
  class Calling;

  boost::asio::io_context& loop_;
  std::unordered_map<ContainerId, std::shared_ptr<Calling>> calls_;
};

}  // namespace howdah::rpc::callback
