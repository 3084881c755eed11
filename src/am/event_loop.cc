#include "event_loop.h"

#include <signal.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace howdah::am {

void EventLoop::OnSignal(std::function<void(int signal)> on_signal) {
  sigset_t handled;
  sigemptyset(&handled);
  for (const int signal : {SIGTERM, SIGINT}) {
    signals_.add(signal);
    sigaddset(&handled, signal);
  }
  signals_.async_wait([on_signal = std::move(on_signal)](const boost::system::error_code& error, int signal) {
    if (!error) on_signal(signal);
  });
  ::pthread_sigmask(SIG_UNBLOCK, &handled, nullptr);
}

void EventLoop::Run() {
  const auto work = boost::asio::make_work_guard(io_);
  Pulse();
  io_.run();
  EndPulse();
}

void EventLoop::Pulse() {
  if (pulse_ == nullptr) return;
  pulse_->Turned();
  pulse_timer_.expires_after(std::chrono::seconds(1));
  pulse_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Pulse();
  });
}

void EventLoop::EndPulse() {
  if (pulse_ == nullptr) return;
  pulse_timer_.cancel();
  std::exchange(pulse_, nullptr)->Suspend();
}

void EventLoop::PassSoon() {
  boost::asio::post(io_, [this] { job_loop_->RunPass(); });
}

void EventLoop::Arm(std::optional<Instant> deadline) {
  timer_.cancel();
  if (!deadline) return;
  timer_.expires_after(std::max(Duration::zero(), Duration(*deadline - clock_.Now())));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) job_loop_->Post(core::Ticked{});
  });
}

void EventLoop::PassAfter(Duration delay) {
  retry_.expires_after(delay);
  retry_.async_wait([this](const boost::system::error_code& error) {
    if (!error) job_loop_->RunPass();
  });
}

}  // namespace howdah::am
