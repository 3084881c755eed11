// An event loop for tests. The test's own thread runs the posted closures until a condition holds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "howdah/rpc/am_server.h"

namespace howdah::rpc {

class TestLoop {
 public:
  Post post() {
    return [this](std::function<void()> closure) {
      std::lock_guard lock(mutex_);
      closures_.push_back(std::move(closure));
      filled_.notify_one();
    };
  }

  // Returns false if the limit was reached.
  bool RunUntil(const std::function<bool()>& done, std::chrono::seconds limit = std::chrono::seconds(60)) {
    auto deadline = std::chrono::steady_clock::now() + limit;
    while (!done()) {
      std::function<void()> closure;
      {
        std::unique_lock lock(mutex_);
        if (!filled_.wait_until(lock, deadline, [&] { return !closures_.empty(); })) return false;
        closure = std::move(closures_.front());
        closures_.pop_front();
      }
      closure();
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::function<void()>> closures_;
};

}  // namespace howdah::rpc
