// Runs an action whenever something has changed, and not too often.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "howdah/base/time.h"
#include "howdah/os/process/clock.h"

namespace howdah::portal {

// The first request runs the action at once. Requests during the pause after a run are answered by one run at its end.
// A pause is 19 times as long as the run before it, so that the action takes at most 5 % of the time, and never shorter
// than `shortest`. Used on the loop's thread only. After the destructor the action does not run.
class PacedAction {
 public:
  PacedAction(boost::asio::io_context& loop, Duration shortest, std::function<void()> action);

  void Request();

 private:
  void Run();
  void Pause(Duration pause);

  const Duration shortest_;
  const std::function<void()> action_;
  const os::process::Clock clock_;
  boost::asio::steady_timer timer_;
  bool paused_ = false, requested_ = false;
  const std::shared_ptr<bool> exists_ = std::make_shared<bool>(true);  // a timer's handler may run after the destructor
};

}  // namespace howdah::portal
