// The executor's stream to its AM.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/callback/callback.h"
#include "howdah/rpc/executor_link.h"

namespace howdah::executor {

// How the stream is opened: over gRPC, or by a test.
using Connect = std::function<std::unique_ptr<rpc::ExecutorLink>(const std::string& am_address, rpc::Post post,
                                                                 rpc::ExecutorLink::Handlers handlers, Duration limit)>;

//  connecting ---> connected <---> waiting for the next AM ---limit over---> lost
//
// When the stream breaks, the connection tries the AM's address again for as long as the AM's Welcome has allowed: the
// next AM listens there if it runs on the same machine. An AM on another machine calls the executor back instead
// (howdah/rpc/callback). Each AM receives a Register, then all reports about the newest attempt again, because the AM
// before it may have died before it recorded them.
//
// On the executor's loop.
class AmConnection {
 public:
  struct Handlers {
    std::function<void(const wire::ToExecutor& message)> on_message;
    std::function<void()> on_sent;                        // the stream has taken everything that was sent
    std::function<int()> newest_attempt;                  // for the Register; -1: no attempt was ordered yet
    std::function<void()> on_registered;                  // with an AM that knows nothing but the reports
    std::function<void()> on_heartbeat_due;               // repeated while an AM is connected
    std::function<void()> on_moved;                       // am_address() has changed
    std::function<void(const std::string& why)> on_lost;  // for good
  };
  AmConnection(boost::asio::io_context& loop, const os::process::Clock& clock, Connect connect, Handlers handlers);

  // registration: without attempt and callback address, which are filled in here. accept_callback: the next AM may be
  // on another machine. Does not wait for the AM's answer.
  Status Open(const std::string& am_address, wire::Register registration, bool accept_callback);

  void OnWelcome(const wire::Welcome& welcome);
  // Not kept: dropped while no AM is connected.
  void Send(const wire::FromExecutor& message);
  // About the newest attempt: kept for the next AM.
  void Report(wire::FromExecutor message);
  void ForgetReports() { reports_.clear(); }

  // From now on a broken stream is lost at once.
  void StopReconnecting() { reconnect_ = false; }
  // Sends what is queued and closes the stream; on_lost follows. false: no stream is open.
  bool Finish();

  bool connected() const { return connected_; }
  const std::string& am_address() const { return am_address_; }

 private:
  void Register();
  void OnClosed(const std::string& why);
  void OnCalledBack(const std::string& am_address);
  Duration RemainingWait() const;
  void ScheduleHeartbeat();

  boost::asio::io_context& loop_;
  const os::process::Clock& clock_;
  Connect connect_;
  Handlers handlers_;
  std::string am_address_;
  wire::Register registration_;
  std::unique_ptr<rpc::callback::CallbackListener> callback_;
  std::unique_ptr<rpc::ExecutorLink> link_;
  bool connected_ = false;
  bool reconnect_ = true;
  Duration am_timeout_{0};             // how long to go on without an AM
  std::optional<Instant> lost_since_;  // set while there is no AM
  std::vector<wire::FromExecutor> reports_;
  std::chrono::milliseconds heartbeat_interval_{0};
  boost::asio::steady_timer heartbeat_timer_;
};

}  // namespace howdah::executor
