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

// Opens a stream to an AM over gRPC, or to a test that acts as the AM.
using Connect = std::function<std::unique_ptr<rpc::ExecutorLink>(const std::string& am_address, rpc::Post post,
                                                                 rpc::ExecutorLink::Handlers handlers, Duration limit)>;

//  connecting ---> connected <---> waiting for the next AM ---limit over---> lost
//
// When the stream breaks, AmConnection tries the AM's address again, for the time that the AM's Welcome allows. An AM
// that is restarted on the same machine listens at that address. An AM on another machine calls the executor back
// instead (howdah/rpc/callback). The present stream stays in use until the calling AM has answered over mutual TLS.
// Each AM first receives a Register, then all reports about the newest attempt, because the previous AM may have died
// before it recorded them.
//
// Used on the executor's loop only.
class AmConnection {
 public:
  struct Handlers {
    std::function<void(const wire::ToExecutor& message)> on_message;
    std::function<void()> on_sent;           // called when all messages so far have been sent
    std::function<int()> newest_attempt;     // returns the attempt for the Register; -1 before the first start order
    std::function<void()> on_registered;     // called when a Register and the reports were sent to an AM
    std::function<void()> on_heartbeat_due;  // called repeatedly while an AM is connected
    std::function<void()> on_moved;          // called when another AM has called back and am_address() has changed
    // Called when the AM is lost and the executor does not wait for another AM.
    std::function<void(const std::string& why)> on_lost;
  };
  AmConnection(boost::asio::io_context& loop, const os::process::Clock& clock, Connect connect, Handlers handlers);

  // registration: Open adds the attempt and the callback address to it. accept_callback: whether the next AM may be on
  // another machine. Open does not wait for the AM's answer.
  Status Open(const std::string& am_address, wire::Register registration, bool accept_callback);

  void OnWelcome(const wire::Welcome& welcome);
  // Sends a message. Drops it if no AM is connected.
  void Send(const wire::FromExecutor& message);
  // Sends a report about the newest attempt, also to an AM that has called back, and keeps it for the next AM.
  void Report(wire::FromExecutor message);
  void ForgetReports() { reports_.clear(); }

  // Stops reconnecting: from now on, a broken stream leads to on_lost immediately.
  void StopReconnecting() {
    reconnect_ = false;
    candidate_ = Stream();
  }
  // Sends the queued messages and closes the stream; on_lost follows. Returns false if no stream is open.
  bool Finish();

  bool connected() const { return current_.open; }
  const std::string& am_address() const { return current_.address; }

 private:
  struct Stream {
    int number = 0;  // identifies the stream, so that late messages of a replaced stream are recognised
    std::string address;
    std::unique_ptr<rpc::ExecutorLink> link;
    bool open = false;
  };

  // Connects, and sends the Register and the reports.
  Stream OpenStream(const std::string& address, Duration limit);
  void Reconnect();
  // Replaces the current stream by the one to the AM that has called back, and reports this to the former AM.
  void UseCandidate();
  void OnMessage(int stream, const wire::ToExecutor& message);
  void OnClosed(int stream, const std::string& why);
  void OnCalledBack(const std::string& am_address);
  Duration RemainingWait() const;
  void ScheduleHeartbeat();

  boost::asio::io_context& loop_;
  const os::process::Clock& clock_;
  Connect connect_;
  Handlers handlers_;
  wire::Register registration_;
  std::unique_ptr<rpc::callback::CallbackListener> callback_;
  int streams_ = 0;  // the number of streams opened so far
  Stream current_;
  Stream candidate_;  // open from a callback of another AM until this AM has answered
  bool reconnect_ = true;
  Duration am_timeout_{0};             // how long the executor continues without an AM
  std::optional<Instant> lost_since_;  // set while there is no AM
  std::vector<wire::FromExecutor> reports_;
  std::chrono::milliseconds heartbeat_interval_{0};
  boost::asio::steady_timer heartbeat_timer_;
  Stream former_;  // the replaced stream, until it has closed
};

}  // namespace howdah::executor
