#include "read_up_to.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace howdah::os::files {

Result<std::string> ReadUpTo(const Fd& fd, size_t limit, const std::string& path) {
  std::string bytes;
  struct stat info {};
  const size_t expected = ::fstat(fd.get(), &info) == 0 && info.st_size > 0 ? static_cast<size_t>(info.st_size) : 4096;
  while (bytes.size() < limit) {
    const size_t before = bytes.size();
    bytes.resize(std::min(limit, std::max(expected + 1, before * 2)));
    const ssize_t count = ::read(fd.get(), bytes.data() + before, bytes.size() - before);
    if (count < 0 && errno != EINTR) return SystemError("reading " + path);
    bytes.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
  }
  return bytes;
}

Result<std::string> ReadWhole(const Fd& fd, size_t limit, const std::string& path) {
  auto bytes = ReadUpTo(fd, limit + 1, path);
  if (bytes && bytes->size() > limit) {
    return Failed("reading " + path + ": it has more than the " + std::to_string(limit) + " bytes allowed");
  }
  return bytes;
}

}  // namespace howdah::os::files
