// Inspects one process of this user: its state, and how it handles signals.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace howdah::os::process {

struct ProcessFacts {
  std::string name;  // the program's name as the kernel stores it, at most 15 bytes
  char state = '?';  // as in /proc/PID/stat: R S D T ...
  int threads = 0;
  std::string waits_in;     // kernel function in which the first thread waits; empty if unknown
  std::string system_call;  // name or number of the first thread's system call; empty if unknown or none
  uint64_t caught = 0;      // bit mask of the signals with a handler; bit 0 is signal 1
  bool python = false;      // whether the program is a Python interpreter

  bool Catches(int signal) const { return signal >= 1 && signal <= 64 && (caught >> (signal - 1) & 1) != 0; }
  // Formats "python3 sleeps in futex_wait_queue (system call futex), 5 threads".
  std::string Text() const;
};
// Returns nullopt if the process does not exist.
std::optional<ProcessFacts> InspectProcess(pid_t pid);

// Returns the time at which the process started, in clock ticks since the boot of the machine. Until the next boot, a
// pid and this number together identify one process. Returns nullopt if the process does not exist or is a zombie.
std::optional<uint64_t> StartTicks(pid_t pid);

}  // namespace howdah::os::process
