#include "howdah/os/process/periodic_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>

#include "howdah/os/files/files.h"

namespace howdah::os::process {

Result<files::Fd> StartPeriodicTimer(Duration interval) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(interval);
  const std::chrono::nanoseconds rest = interval - seconds;
  files::Fd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const itimerspec times = {.it_interval = {.tv_sec = seconds.count(), .tv_nsec = rest.count()},
                            .it_value = {.tv_sec = 0, .tv_nsec = 1}};
  if (!timer.valid() || timerfd_settime(timer.get(), 0, &times, nullptr) != 0)
    return files::SystemError("starting a timer");
  return timer;
}

bool TakeExpiration(const files::Fd& timer) {
  uint64_t expirations = 0;
  return read(timer.get(), &expirations, sizeof expirations) == sizeof expirations;
}

}  // namespace howdah::os::process
