// Lets a parent process detect that the event loop of its child no longer turns: the child is stopped, blocked or in an
// endless loop.
#pragma once

#include <signal.h>

#include <chrono>
#include <string>
#include <utility>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// The connection from child to parent. Made before the fork; each process uses its own copy.
class LoopPulse {
 public:
  static Result<LoopPulse> Make();

  // The child calls this once a second on the thread of its loop, to show that the loop still runs. The first call
  // begins the watch.
  void Turned() const { Write(kTurned); }
  // The child calls this before a pause of its loop. Until the next call of Turned, the parent does not count the loop
  // as hung.
  void Suspend() const { Write(kSuspended); }

 private:
  friend class LoopWatchdog;
  static constexpr char kTurned = 't', kSuspended = 's';
  LoopPulse(files::Fd read_end, files::Fd write_end)
      : read_end_(std::move(read_end)), write_end_(std::move(write_end)) {}
  void Write(char byte) const;

  files::Fd read_end_, write_end_;
};

// The parent's side: counts the seconds without a turn of the loop. Counts only while the parent itself runs, so that a
// suspended machine or a stopped group of processes is not mistaken for a child that hangs.
class LoopWatchdog {
 public:
  static constexpr int kLimit = 30;  // seconds

  // pulse must live longer than this object.
  explicit LoopWatchdog(const LoopPulse& pulse) : pulse_(pulse) {}

  // Forgets the previous child, and begins with a new one.
  void Restart();
  // Waits for one of these signals, which must be blocked, until the current second has passed. Returns the signal, or
  // 0 if none has arrived.
  int AwaitSignal(const sigset_t& signals);
  // Counts one second. AwaitSignal calls this; a caller that does not use AwaitSignal must call it once per second.
  void Tick();
  // Begins the watch even if the child has never called Turned, and sets the limit in seconds. Does not end a
  // suspension.
  void Require(int limit);

  bool hung() const { return state_ == State::kWatching && silent_ >= limit_; }
  // Formats "did not turn its event loop for 30 s".
  std::string Text() const;

 private:
  enum class State { kStarting, kWatching, kSuspended };

  const LoopPulse& pulse_;
  std::chrono::steady_clock::time_point next_tick_ = std::chrono::steady_clock::now();
  State state_ = State::kStarting;
  int silent_ = 0;  // seconds since the last turn
  int limit_ = kLimit;
};

}  // namespace howdah::os::process
