#include "rereading.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>

#include "howdah/os/files/files.h"

namespace howdah::backend::tony_history {

Result<os::files::Fd> StartTimer(Duration interval) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(interval);
  os::files::Fd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const std::chrono::nanoseconds rest = interval - seconds;
  const itimerspec times = {.it_interval = {.tv_sec = seconds.count(), .tv_nsec = rest.count()},
                            .it_value = {.tv_sec = 0, .tv_nsec = 1}};
  if (!timer.valid() || timerfd_settime(timer.get(), 0, &times, nullptr) != 0)
    return os::files::SystemError("watching a history of TonY");
  return timer;
}

bool TakeExpiration(const os::files::Fd& timer) {
  uint64_t expirations = 0;
  return read(timer.get(), &expirations, sizeof expirations) == sizeof expirations;
}

}  // namespace howdah::backend::tony_history
