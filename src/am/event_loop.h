// The AM's event loop: asio, the timer of am::loop::JobLoop, and the signals that end a job.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>

#include "howdah/am/loop/job_loop.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/loop_watch.h"

namespace howdah::am {

// Not thread-safe.
class EventLoop final : public loop::Clock, public loop::Timers {
 public:
  // pulse must live longer than this object; it may be null.
  EventLoop(const os::process::Clock& clock, const os::process::LoopPulse* pulse)
      : clock_(clock), pulse_(pulse), timer_(io_), pulse_timer_(io_), retry_(io_), signals_(io_) {}

  boost::asio::io_context& io() { return io_; }
  // Must be called before the first Post. job_loop must live until Run returns.
  void Serve(loop::JobLoop& job_loop) { job_loop_ = &job_loop; }
  // Called with the first SIGTERM or SIGINT. Unblocks both signals, which the guardian has blocked.
  void OnSignal(std::function<void(int signal)> on_signal);
  // Returns after Stop.
  void Run();
  // Announces that the loop may block for any time from now on, so that the guardian does not treat the AM as hung.
  void EndPulse();
  void Stop() { io_.stop(); }

  // loop::Clock, loop::Timers
  Instant Now() override { return clock_.Now(); }
  const os::process::Clock& clock() const { return clock_; }
  void PassSoon() override;
  void Arm(std::optional<Instant> deadline) override;
  void PassAfter(Duration delay) override;

 private:
  void Pulse();

  const os::process::Clock& clock_;
  const os::process::LoopPulse* pulse_;
  boost::asio::io_context io_;
  boost::asio::steady_timer timer_, pulse_timer_, retry_;
  boost::asio::signal_set signals_;
  loop::JobLoop* job_loop_ = nullptr;
};

}  // namespace howdah::am
