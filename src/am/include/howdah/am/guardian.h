// The AM's guardian: a small parent process of the AM. It survives the AM's death.
#pragma once

#include <functional>
#include <string>

namespace howdah::am {

struct Guarded {
  // Runs the AM in its own process, which exits with the returned code. before: how the previous AM died, a clause such
  // as "was killed by signal 9 (SIGKILL)"; empty for the first AM.
  std::function<int(const std::string& before)> am;
  // Called after a signal has killed an AM. Returns whether to start another AM, which resumes the job. If the function
  // is empty, no other AM is started. The guardian also starts none after several quick deaths in a row.
  std::function<bool()> again;
  // Called when no other AM is started, after the remaining processes were killed. how: a clause, as in `am`.
  std::function<void(const std::string& how)> after_death;
  // A descriptor that the guardian closes after the fork, so that the process at its other end detects the AM's death;
  // -1: none.
  int am_only_fd = -1;
};

// Forks the AM and waits for it, forwarding SIGTERM and SIGINT. Returns the exit status for this process. The calling
// process must have only one thread.
int RunGuarded(const Guarded& guarded);

}  // namespace howdah::am
