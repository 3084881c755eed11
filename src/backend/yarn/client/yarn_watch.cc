#include "yarn_watch.h"

#include <sys/timerfd.h>
#include <unistd.h>

namespace howdah::backend::yarn::client {
namespace {

constexpr time_t kIntervalSeconds = 3;

}  // namespace

Result<std::unique_ptr<backend::JobWatch>> YarnWatch::Start(std::function<Result<States>()> states) {
  os::files::Fd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const itimerspec interval = {.it_interval = {.tv_sec = kIntervalSeconds, .tv_nsec = 0},
                               .it_value = {.tv_sec = 0, .tv_nsec = 1}};
  if (!timer.valid() || timerfd_settime(timer.get(), 0, &interval, nullptr) != 0)
    return os::files::SystemError("watching the applications");
  return std::unique_ptr<backend::JobWatch>(new YarnWatch(std::move(states), std::move(timer)));
}

Result<std::vector<JobId>> YarnWatch::Changed() {
  uint64_t expirations = 0;
  const ssize_t ignored = read(timer_.get(), &expirations, sizeof expirations);  // makes the timer unreadable
  static_cast<void>(ignored);
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
