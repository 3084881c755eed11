// A timer without stale calls.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <utility>

#include "howdah/base/time.h"

namespace howdah::web {

// Use only on the loop's thread. Must outlive the function that it was set to call.
class Alarm {
 public:
  explicit Alarm(const boost::asio::any_io_executor& executor) : timer_(executor) {}

  // Calls `ring` after the delay, unless Set or Cancel is called first. This also holds if the time has passed already,
  // and the call waits in the loop's queue.
  template <typename Ring>
  void Set(Duration delay, Ring ring) {
    const uint64_t setting = ++setting_;
    timer_.expires_after(delay);
    timer_.async_wait([this, setting, ring = std::move(ring)](const boost::system::error_code& cancelled) {
      if (!cancelled && setting == setting_) ring();
    });
  }
  void Cancel() {
    ++setting_;
    timer_.cancel();
  }

 private:
  boost::asio::steady_timer timer_;
  uint64_t setting_ = 0;
};

}  // namespace howdah::web
