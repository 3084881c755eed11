#include "paced_action.h"

#include <algorithm>
#include <utility>

namespace howdah::portal {
namespace {

constexpr int kPausePerRun = 19;

}  // namespace

PacedAction::PacedAction(boost::asio::io_context& loop, Duration shortest, std::function<void()> action)
    : shortest_(shortest), action_(std::move(action)), timer_(loop) {}

void PacedAction::Request() {
  requested_ = true;
  if (!paused_) Run();
}

void PacedAction::Run() {
  requested_ = false;
  paused_ = true;
  const Instant begin = clock_.Now();
  action_();
  Pause(std::max<Duration>(shortest_, kPausePerRun * (clock_.Now() - begin)));
}

void PacedAction::Pause(Duration pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this, exists = std::weak_ptr(exists_)](const boost::system::error_code& error) {
    if (error || exists.expired()) return;
    paused_ = false;
    if (requested_) Run();
  });
}

}  // namespace howdah::portal
