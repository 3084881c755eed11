// The AM's guardian: a small parent process of the AM. It survives the AM's death.
#pragma once

#include <functional>
#include <string>

#include "howdah/base/result.h"

namespace howdah::am {

struct Guarded {
  // Runs the AM in its own process. Returns an error if it cannot continue. before: how the previous AM died, a clause
  // such as "was killed by signal 9 (SIGKILL)"; empty for the first AM.
  std::function<Status(const std::string& before)> am;
  // Whether to start another AM, which resumes the job, after one that was killed by a signal. Without this function
  // the AM is never restarted. After several quick deaths in a row no other AM is started either.
  std::function<bool()> again;
  // Called when the AM is not restarted, after its remaining processes were killed. how: a clause, as in `am`. error:
  // the error that `am` returned, which the guardian receives by a pipe, because logs cannot be written to a full disk;
  // empty if it returned none.
  std::function<void(const std::string& how, const std::string& error)> after_death;
  // A descriptor that the guardian closes after the fork, so that the process at its other end detects the AM's death;
  // -1: none.
  int am_only_fd = -1;
};

// Forks the AM and waits for it, forwarding SIGTERM and SIGINT. Returns the exit status for this process. The calling
// process must have only one thread.
int RunGuarded(const Guarded& guarded);

}  // namespace howdah::am
