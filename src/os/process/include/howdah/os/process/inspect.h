// Inspects one process of this user: its state, and how it would handle a signal.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace howdah::os::process {

struct ProcessFacts {
  std::string name;  // of the program, as the kernel stores it: 15 bytes at most
  char state = '?';  // as in /proc/PID/stat: R S D T ...
  int threads = 0;
  std::string waits_in;     // kernel function of the first thread; empty: none, or not readable
  std::string system_call;  // name or number; empty: none, or not readable
  uint64_t caught = 0;      // signals with a handler; bit 0 is signal 1
  bool python = false;      // the program is a Python interpreter

  bool Catches(int signal) const { return signal >= 1 && signal <= 64 && (caught >> (signal - 1) & 1) != 0; }
  // "python3 sleeps in futex_wait_queue (system call futex), 5 threads"
  std::string Text() const;
};
// nullopt: the process does not exist.
std::optional<ProcessFacts> InspectProcess(pid_t pid);

}  // namespace howdah::os::process
