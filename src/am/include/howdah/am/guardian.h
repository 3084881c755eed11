// The AM's guardian: a small parent process of the AM. It survives the AM's death, and ends an AM that hangs.
#pragma once

#include <functional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/process/loop_watch.h"

namespace howdah::am {

// The end of the last AM process of a job.
struct AmDeath {
  std::string how;       // a clause such as "was killed by signal 9 (SIGKILL)"
  std::string error;     // the error of Guarded::am, received through a pipe because logs may be on a full disk
  bool stopped = false;  // whether the AM was killed because it did not act on SIGTERM or SIGINT
  Instant at;
};

struct Guarded {
  // Runs the AM in its own process. Returns an error if the AM cannot continue. before: how the previous AM died, a
  // clause such as "was killed by signal 9 (SIGKILL)"; empty for the first AM. The AM updates pulse to show that its
  // loop is running.
  std::function<Status(const std::string& before, const os::process::LoopPulse& pulse)> am;
  // Called after an AM was killed by a signal. Returns whether to start another AM, which resumes the job. If this
  // function is empty, the AM is never restarted. After several quick deaths in a row, the AM is not restarted either.
  std::function<bool()> again;
  // Called when the AM is not restarted, after its remaining processes were killed.
  std::function<void(const AmDeath& death)> after_death;
  // A descriptor that the guardian closes after the fork, so that only the AM has it, and the process at the other end
  // detects the AM's death; -1: none.
  int am_only_fd = -1;
};

// Forks the AM and waits for it, forwarding SIGTERM and SIGINT. An AM that replaces another one receives the signal of
// its predecessor again. Kills an AM whose loop makes no progress for 30 s, or for 10 s after such a signal. After a
// kill of the second kind no other AM is started. Returns the exit status for this process. The calling process must
// have only one thread.
int RunGuarded(const Guarded& guarded);

}  // namespace howdah::am
