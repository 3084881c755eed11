#include "yarn_watch.h"

#include <chrono>
#include <utility>

#include "howdah/os/process/periodic_timer.h"

namespace howdah::backend::yarn::client {
namespace {

constexpr Duration kInterval = std::chrono::seconds(3);

}  // namespace

Result<std::unique_ptr<backend::JobWatch>> YarnWatch::Start(std::function<Result<States>()> states) {
  auto timer = os::process::StartPeriodicTimer(kInterval);
  if (!timer.ok()) return timer.error().While("watching the applications");
  return std::unique_ptr<backend::JobWatch>(new YarnWatch(std::move(states), std::move(*timer)));
}

Result<std::vector<JobId>> YarnWatch::Changed() {
  os::process::TakeExpiration(timer_);
  HOWDAH_TRY(States states, states_());
  std::vector<JobId> changed;
  for (const auto& [id, state] : states) {
    const auto before = last_.find(id);
    const bool is_same = before != last_.end() && before->second == state;
    if (state == State::kLive || !is_same) changed.push_back(id);
  }
  last_ = std::move(states);
  return changed;
}

}  // namespace howdah::backend::yarn::client
