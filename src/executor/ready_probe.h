// Probes whether the server of an attempt is ready (jobspec::Ready).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/frameworks/common/process.h"
#include "howdah/jobspec/job_spec.h"
#include "launch.h"

namespace howdah::executor {

// The server that a probe connects to.
struct ProbeTarget {
  std::string address;  // a numeric IP address
  uint16_t port = 0;
  std::string path;  // of an HTTP request, with the query; empty: a successful connection is enough
  friend bool operator==(const ProbeTarget&, const ProbeTarget&) = default;
};

// Replaces the variables of the probe by those of the process. Returns kFailed if one is not set, or if the result is
// not a port or an http URL with a numeric address or localhost.
Result<ProbeTarget> ProbeTargetOf(const jobspec::Ready& ready, const Variables& environment);

// Use only on the loop's thread.
class ReadyProbe {
 public:
  ReadyProbe(boost::asio::io_context& loop, std::function<void()> on_ready)
      : loop_(loop), pause_(loop), on_ready_(std::move(on_ready)) {}
  ~ReadyProbe() { End(); }
  ReadyProbe(const ReadyProbe&) = delete;
  ReadyProbe& operator=(const ReadyProbe&) = delete;

  // Probes at once, and then at each interval until a probe succeeds. Then calls on_ready once.
  void Begin(ProbeTarget target, Duration interval, Duration timeout);
  // Stops probing. on_ready is not called after this.
  void End();

 private:
  class Connection;
  void Probe();
  void OnResult(bool good);

  boost::asio::io_context& loop_;
  boost::asio::steady_timer pause_;
  std::function<void()> on_ready_;
  ProbeTarget target_;
  Duration interval_{}, timeout_{};
  int round_ = 0;                           // counts Begin and End, so that a late timer has no effect
  std::shared_ptr<Connection> connection_;  // of the probe in progress
};

}  // namespace howdah::executor
