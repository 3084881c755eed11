#include "keep_times.h"

#include <sys/stat.h>

#include <utility>

namespace howdah::os::files {

void KeepTimes(int fd, const timespec& accessed, const timespec& modified) {
  struct stat written {};
  if (::fstat(fd, &written) != 0) return;
  // An archive may contain any number of seconds, which Instant cannot represent.
  const std::pair now(written.st_mtim.tv_sec, written.st_mtim.tv_nsec);
  if (std::pair(modified.tv_sec, modified.tv_nsec) > now) return;
  const timespec times[] = {accessed, modified};
  ::futimens(fd, times);
}

}  // namespace howdah::os::files
