#include "howdah/os/files/directories_below.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

namespace howdah::os::files {
namespace {

constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// Opens one directory of `parent`, and creates it if it is missing. `below` is the path of the directory in errors.
Result<Fd> MakeOne(const Fd& parent, const std::string& name, const std::string& below, const NewDirectories& made) {
  const std::string doing = "making the directory " + below;
  const bool is_new = ::mkdirat(parent.get(), name.c_str(), made.mode) == 0;
  if (!is_new && errno != EEXIST) return SystemError(doing);
  Fd fd(::openat(parent.get(), name.c_str(), kFlags | O_NOFOLLOW));
  if (!fd.valid() && (errno == ELOOP || errno == ENOTDIR)) return Failed(below + " exists and is not a directory");
  if (!fd.valid()) return SystemError(doing);
  if (!is_new || !made.exact) return fd;
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || ::fchmod(fd.get(), made.mode | (info.st_mode & S_ISGID)) != 0) {
    return SystemError("setting the permission of " + below);
  }
  return fd;
}

}  // namespace

Result<Fd> MakeDirectoriesBelow(const std::string& top, const std::string& below, const NewDirectories& made) {
  Fd here(::open(top.c_str(), kFlags));
  if (!here.valid()) return SystemError("opening " + top);
  for (size_t begin = 0; begin < below.size();) {
    const size_t end = std::min(below.find('/', begin), below.size());
    const std::string name = below.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    HOWDAH_TRY(here, MakeOne(here, name, below.substr(0, end), made));
  }
  return here;
}

}  // namespace howdah::os::files
