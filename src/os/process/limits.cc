#include "howdah/os/process/limits.h"

#include <sys/resource.h>

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

}  // namespace howdah::os::process
