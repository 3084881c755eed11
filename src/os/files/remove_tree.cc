#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "howdah/os/files/files.h"

namespace howdah::os::files {
namespace {

// Directories below this depth are moved to the top before they are removed, so that the number of open descriptors is
// bounded.
constexpr int kDepthLimit = 64;

class TreeRemover {
 public:
  TreeRemover(int top, std::string path) : top_(top), path_(std::move(path)) {}

  // Removes the content of the directory that is open as `fd`.
  Status Empty(Fd fd, int depth) {
    const int here = fd.get();
    DIR* opened = ::fdopendir(fd.Release());
    if (opened == nullptr) return SystemError("removing " + path_);
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opened, ::closedir);
    // If the directory changes during the scan, readdir may miss names. The next round finds them.
    for (bool found = true; found;) {
      found = false;
      ::rewinddir(opened);
      while (const dirent* entry = ::readdir(opened)) {
        const std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        found = true;
        HOWDAH_TRY_STATUS(Remove(here, name, depth));
      }
    }
    return {};
  }

  static Fd OpenWritable(int parent, const std::string& name) {
    constexpr int kFlags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    MakeWritable(Fd(::openat(parent, name.c_str(), kFlags | O_PATH)));
    return Fd(::openat(parent, name.c_str(), kFlags | O_RDONLY));
  }

 private:
  // Restores missing permissions if the directory belongs to this user. `directory` is open with O_PATH and changed
  // through its descriptor, because its name may meanwhile refer to a link that the tree's owner has created.
  static void MakeWritable(const Fd& directory) {
    struct stat info {};
    if (!directory.valid() || ::fstat(directory.get(), &info) != 0) return;
    if (info.st_uid != ::geteuid() || (info.st_mode & 0700) == 0700) return;
    const std::string path = "/proc/self/fd/" + std::to_string(directory.get());
    // If this fails, the next operation on the directory fails, too, and its error is reported.
    [[maybe_unused]] const int failed = ::chmod(path.c_str(), (info.st_mode & 07777) | 0700);
  }

  Status Remove(int parent, const std::string& name, int depth) {
    if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return {};
    const int error = errno;
    struct stat info {};
    if (::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT ? Status() : SystemError("removing " + path_ + "/.../" + name);
    }
    if (!S_ISDIR(info.st_mode)) return SystemError("removing " + path_ + "/.../" + name, error);
    if (depth >= kDepthLimit) {
      const std::string moved = ".howdah-removing-" + std::to_string(moved_++);
      // Moving a directory requires write permission on it.
      MakeWritable(Fd(::openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
      if (::renameat(parent, name.c_str(), top_, moved.c_str()) == 0) return {};
      return SystemError("removing " + path_ + "/.../" + name);
    }
    Fd fd = OpenWritable(parent, name);
    if (!fd.valid()) return SystemError("removing " + path_ + "/.../" + name);
    HOWDAH_TRY_STATUS(Empty(std::move(fd), depth + 1));
    // ENOTEMPTY is not reported, because the next round tries again.
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT || errno == ENOTEMPTY) return {};
    return SystemError("removing " + path_ + "/.../" + name);
  }

  int top_;
  std::string path_;
  long moved_ = 0;
};

}  // namespace

Status RemoveTree(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  const int error = errno;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return errno == ENOENT ? Status() : SystemError("removing " + path);
  if (!S_ISDIR(info.st_mode)) return SystemError("removing " + path, error);
  Fd top = TreeRemover::OpenWritable(AT_FDCWD, path);
  if (!top.valid()) return SystemError("removing " + path);
  Fd copy(::fcntl(top.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return SystemError("removing " + path);
  HOWDAH_TRY_STATUS(TreeRemover(top.get(), path).Empty(std::move(copy), 0));
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
  return SystemError("removing " + path);
}

}  // namespace howdah::os::files
