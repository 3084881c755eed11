// The AM's guardian: a small process above the AM that outlives it.
#pragma once

#include <functional>
#include <string>

namespace howdah::am {

// Forks; the child runs `am` and ends with what it returns. The parent waits for it, passing SIGTERM and SIGINT on,
// then kills whatever the child has left running. If the AM did not end with 0, it calls after_death with a clause that
// says how it ended ("was killed by signal 9 (SIGKILL)"). Returns the exit status of this process. No thread may run
// yet. am_only_fd: a descriptor that the parent closes after the fork, so that its other end sees the AM's death; -1:
// none.
int RunGuarded(int am_only_fd, const std::function<int()>& am,
               const std::function<void(const std::string& how)>& after_death);

}  // namespace howdah::am
