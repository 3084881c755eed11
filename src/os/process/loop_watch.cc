#include "howdah/os/process/loop_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace howdah::os::process {
namespace {

constexpr std::chrono::seconds kTick{1};

}  // namespace

Result<LoopPulse> LoopPulse::Make() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return files::SystemError("making a pipe");
  return LoopPulse(files::Fd(ends[0]), files::Fd(ends[1]));
}

void LoopPulse::Write(char byte) const {
  // Ignore a full pipe: the turns in it are enough to show that the loop runs.
  (void)!::write(write_end_.get(), &byte, 1);
}

void LoopWatchdog::Restart() {
  Tick();  // discards the turns of the previous child
  state_ = State::kStarting;
  silent_ = 0;
  limit_ = kLimit;
}

int LoopWatchdog::AwaitSignal(const sigset_t& signals) {
  const auto left = std::max(std::chrono::nanoseconds::zero(),
                             std::chrono::nanoseconds(next_tick_ - std::chrono::steady_clock::now()));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec limit{seconds.count(), (left - seconds).count()};
  const int signal = ::sigtimedwait(&signals, nullptr, &limit);
  // Count one second, however long this process was stopped.
  if (const auto now = std::chrono::steady_clock::now(); now >= next_tick_) {
    next_tick_ = now + kTick;
    Tick();
  }
  return std::max(signal, 0);
}

void LoopWatchdog::Tick() {
  char bytes[256];
  char last = '\0';
  for (ssize_t size = 0; (size = ::read(pulse_.read_end_.get(), bytes, sizeof bytes)) > 0;) last = bytes[size - 1];
  if (last != '\0') state_ = last == LoopPulse::kTurned ? State::kWatching : State::kSuspended;
  silent_ = last != '\0' || state_ != State::kWatching ? 0 : silent_ + 1;
}

void LoopWatchdog::Require(int limit) {
  if (state_ == State::kStarting) state_ = State::kWatching;
  limit_ = limit;
}

std::string LoopWatchdog::Text() const {
  return "did not turn its event loop for " + std::to_string(std::max(silent_, limit_)) + " s";
}

}  // namespace howdah::os::process
