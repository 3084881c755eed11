#include "howdah/os/files/open_regular.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read_up_to.h"

namespace howdah::os::files {
namespace {

// O_NONBLOCK: opening a named pipe returns immediately. O_NOCTTY: a terminal does not become the controlling terminal.
constexpr int kOpenFlags = O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;

// Returns nullptr for a regular file.
const char* OtherKind(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return nullptr;
    case S_IFIFO:
      return "a FIFO";
    case S_IFLNK:
      return "a symbolic link";
    case S_IFDIR:
      return "a directory";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

Error NotRegular(const std::string& path, const char* kind) {
  return Failed("opening " + path + ": it is " + kind + ", not a regular file");
}

Result<Fd> Open(int directory, const std::string& name, int flags, mode_t mode, const std::string& path) {
  Fd fd(::openat(directory, name.c_str(), flags | kOpenFlags, mode));
  struct stat info {};
  if (!fd.valid()) {
    const int error = errno;
    const bool known = ::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    const char* kind = known ? OtherKind(info.st_mode) : nullptr;
    return kind != nullptr ? NotRegular(path, kind) : SystemError("opening " + path, error);
  }
  if (::fstat(fd.get(), &info) != 0) return SystemError("opening " + path);
  if (const char* kind = OtherKind(info.st_mode)) return NotRegular(path, kind);
  // O_NONBLOCK has no effect on regular files, but a task inherits the descriptor and may inspect its flags.
  const int status = ::fcntl(fd.get(), F_GETFL);
  if (status >= 0) ::fcntl(fd.get(), F_SETFL, status & ~O_NONBLOCK);
  return fd;
}

}  // namespace

Result<Fd> OpenRegular(const std::string& path) { return Open(AT_FDCWD, path, O_RDONLY, 0, path); }

Result<Fd> OpenRegularAt(int directory, const std::string& name, const std::string& path) {
  return Open(directory, name, O_RDONLY, 0, path);
}

Result<Fd> OpenOrMakeRegular(const std::string& path, mode_t mode) {
  return Open(AT_FDCWD, path, O_RDONLY | O_CREAT, mode, path);
}

Result<Fd> OpenForAppend(const std::string& path, mode_t mode) {
  return Open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, mode, path);
}

Result<std::string> ReadRegular(const std::string& path, size_t limit) {
  HOWDAH_TRY(const auto fd, OpenRegular(path));
  return ReadWhole(fd, limit, path);
}

Result<std::string> ReadTail(const std::string& path, size_t limit) {
  HOWDAH_TRY(const auto fd, OpenRegular(path));
  if (::lseek(fd.get(), -static_cast<off_t>(limit), SEEK_END) < 0 && errno != EINVAL) {
    // EINVAL means that the file is shorter than `limit`; it is then read from its beginning.
    return SystemError("reading the end of " + path);
  }
  return ReadUpTo(fd, limit, path);
}

}  // namespace howdah::os::files
