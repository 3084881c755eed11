// The AM's guardian: a small process above the AM that outlives it.
#pragma once

#include <functional>
#include <string>

namespace howdah::am {

struct Guarded {
  // Runs the AM in a process of its own, which ends with what it returns. before: how the one before it died, a
  // clause, "was killed by signal 9 (SIGKILL)"; empty: it is the first.
  std::function<int(const std::string& before)> am;
  // Whether an AM that was killed by a signal is followed by another one in its place, which finds what it left
  // running. Empty: never. Several that are killed soon, one after the other, are the last.
  std::function<bool()> again;
  // The AM is dead for good, and what it left running was killed. how: such a clause.
  std::function<void(const std::string& how)> after_death;
  // A descriptor that the guardian closes once it has forked, so that its other end sees the AM's death; -1: none.
  int am_only_fd = -1;
};

// Forks and waits for the AM, passing SIGTERM and SIGINT on. Returns the exit status of this process. No thread may run
// yet.
int RunGuarded(const Guarded& guarded);

}  // namespace howdah::am
