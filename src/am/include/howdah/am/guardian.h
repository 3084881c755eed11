// The AM's guardian: a small parent process of the AM that survives its death.
#pragma once

#include <functional>
#include <string>

namespace howdah::am {

struct Guarded {
  // Runs the AM in its own process, which exits with the returned code. before: how the previous AM died, a clause,
  // "was killed by signal 9 (SIGKILL)"; empty: it is the first.
  std::function<int(const std::string& before)> am;
  // Whether to start another AM after one that was killed by a signal; it resumes the job. Empty: never. After several
  // quick deaths in a row no other AM is started.
  std::function<bool()> again;
  // The AM is not restarted, and its remaining processes were killed. how: as before.
  std::function<void(const std::string& how)> after_death;
  // A descriptor that the guardian closes after the fork, so that its other end detects the AM's death; -1: none.
  int am_only_fd = -1;
};

// Forks the AM and waits for it, forwarding SIGTERM and SIGINT. Returns the exit status of this process. No other
// thread may run yet.
int RunGuarded(const Guarded& guarded);

}  // namespace howdah::am
