#include "howdah/os/process/limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

namespace howdah::os::process {

std::optional<uint64_t> RaiseOpenFilesLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  // If the kernel refuses, the limit stays as it is, and the agent works with fewer tasks.
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

void OpenStandardStreams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // open(2) returns the lowest number that is free.
    if (::open("/dev/null", O_RDWR) != stream) std::abort();
  }
}

}  // namespace howdah::os::process
