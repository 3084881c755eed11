// What the kernel says of one process of this user: what it does, and what it would do about a signal.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace howdah::os::process {

struct ProcessFacts {
  std::string name;  // of its program, as the kernel keeps it: 15 bytes at most
  char state = '?';  // as in /proc/PID/stat: R S D T ...
  int threads = 0;
  std::string waits_in;     // a function of the kernel, of its first thread; empty: in none, or it is not told
  std::string system_call;  // its name, or its number; empty: in none, or it is not told
  uint64_t caught = 0;      // signals that it has a handler for; bit 0 is signal 1
  bool python = false;      // its program is a Python interpreter

  bool Catches(int signal) const { return signal >= 1 && signal <= 64 && (caught >> (signal - 1) & 1) != 0; }
  // "python3 sleeps in futex_wait_queue (system call futex), 5 threads"
  std::string Text() const;
};
// nullopt: there is no such process (any more).
std::optional<ProcessFacts> LookAt(pid_t pid);

}  // namespace howdah::os::process
