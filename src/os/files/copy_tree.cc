#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/files.h"
#include "keep_times.h"

namespace howdah::os::files {
namespace {

// The set-user-id, set-group-id and sticky bits are not copied. Otherwise, a copy of another user's program would run
// with the rights of the copy's owner.
constexpr mode_t kCopiedMode = 0777;
constexpr size_t kKernelStep = size_t{64} << 20;

// Shares blocks if the file system supports it. Otherwise copies within the kernel. If that is not supported either,
// copies through a buffer.
bool CopyBytes(int from, int to, int64_t size, const OnBytes& on_bytes) {
  if (::ioctl(to, FICLONE, from) == 0) {
    on_bytes(size);
    return true;
  }
  bool any = false;
  for (;;) {
    const ssize_t count = ::copy_file_range(from, nullptr, to, nullptr, kKernelStep, 0);
    if (count > 0) {
      any = true;
      on_bytes(count);
    }
    if (count == 0 && any) return true;
    if (count == 0) break;  // the file is empty, or a file of /proc that only read(2) can read
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && any) return false;
    if (count < 0) break;
  }
  std::string buffer(size_t{256} << 10, '\0');
  for (;;) {
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (!WriteAll(to, std::string_view(buffer).substr(0, static_cast<size_t>(count)), "").ok()) return false;
    on_bytes(count);
  }
}

class TreeCopier {
 public:
  // from: the root of the copied tree, to which the paths for `skips` are relative.
  TreeCopier(const std::string& from, const OnBytes& on_bytes, const Skips& skips)
      : from_size_(from.size()), on_bytes_(on_bytes), skips_(skips) {}

  Status Copy(const std::string& from, const std::string& to, const struct stat& info) {
    switch (info.st_mode & S_IFMT) {
      case S_IFDIR:
        return CopyDirectory(from, to, info);
      case S_IFREG:
        return CopyFile(from, to, info);
      case S_IFLNK:
        return CopyLink(from, to, info);
      case S_IFIFO:
        ::unlink(to.c_str());
        return ::mkfifo(to.c_str(), info.st_mode & kCopiedMode) == 0 ? Status() : SystemError("making the pipe " + to);
      case S_IFSOCK:
        return {};
      default:
        return Failed("copying " + from + ": it is a device, neither a file nor a directory");
    }
  }

 private:
  Status CopyDirectory(const std::string& from, const std::string& to, const struct stat& info) {
    if (root_known_ && info.st_dev == root_.st_dev && info.st_ino == root_.st_ino)
      return {};  // this directory is the target of the copy
    struct stat there {};
    if (::mkdir(to.c_str(), 0700) != 0) {
      const int error = errno;
      const bool is_directory = ::lstat(to.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
      if (error != EEXIST || !is_directory) return SystemError("making the directory " + to, error);
    }
    if (!root_known_) root_known_ = ::lstat(to.c_str(), &root_) == 0;
    HOWDAH_TRY(auto names, ListDirectory(from));
    for (const std::string& name : names) {
      const std::string source = from + "/" + name;
      struct stat entry {};
      if (::lstat(source.c_str(), &entry) != 0) {
        if (errno == ENOENT) continue;  // the entry was removed after it was listed
        return SystemError("copying " + source);
      }
      if (skips_ && skips_(source.substr(from_size_ + 1), S_ISDIR(entry.st_mode))) continue;
      HOWDAH_TRY_STATUS(Copy(source, to + "/" + name, entry));
    }
    const timespec times[] = {info.st_atim, info.st_mtim};
    // Set the mode last, because files cannot be added to a directory without write permission.
    if (::chmod(to.c_str(), info.st_mode & kCopiedMode) != 0) return SystemError("copying " + from);
    ::utimensat(AT_FDCWD, to.c_str(), times, 0);
    return {};
  }

  Status CopyFile(const std::string& from, const std::string& to, const struct stat& info) {
    Fd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source.valid()) return SystemError("copying " + from);
    ::unlink(to.c_str());  // do not write through an existing link
    Fd target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!target.valid()) return SystemError("copying " + from + " to " + to);
    if (!CopyBytes(source.get(), target.get(), info.st_size, on_bytes_))
      return SystemError("copying " + from + " to " + to);
    if (::fchmod(target.get(), info.st_mode & kCopiedMode) != 0) return SystemError("copying " + from + " to " + to);
    KeepTimes(target.get(), info.st_atim, info.st_mtim);
    return {};
  }

  static Status CopyLink(const std::string& from, const std::string& to, const struct stat& info) {
    std::string target(static_cast<size_t>(info.st_size) + 4096, '\0');
    const ssize_t size = ::readlink(from.c_str(), target.data(), target.size());
    if (size < 0) return SystemError("copying the link " + from);
    target.resize(static_cast<size_t>(size));
    ::unlink(to.c_str());
    if (::symlink(target.c_str(), to.c_str()) != 0) return SystemError("copying the link " + from + " to " + to);
    return {};
  }

  size_t from_size_;
  const OnBytes& on_bytes_;
  const Skips& skips_;
  bool root_known_ = false;
  struct stat root_ {};  // the target directory of the whole copy
};

std::optional<int64_t> SizeOf(const std::string& path, const struct stat& info) {
  if (!S_ISDIR(info.st_mode)) return int64_t{info.st_size};
  const auto names = ListDirectory(path);
  if (!names.ok()) return std::nullopt;
  int64_t size = 0;
  for (const std::string& name : *names) {
    const std::string below = path + "/" + name;
    struct stat entry {};
    if (::lstat(below.c_str(), &entry) == 0) size += SizeOf(below, entry).value_or(0);
  }
  return size;
}

}  // namespace

Status CopyTree(const std::string& from, const std::string& to, const OnBytes& on_bytes, const Skips& skips) {
  struct stat info {};
  if (::stat(from.c_str(), &info) != 0) return SystemError("copying " + from);
  const OnBytes nobody = [](int64_t) {};
  return TreeCopier(from, on_bytes ? on_bytes : nobody, skips).Copy(from, to, info);
}

std::optional<int64_t> TreeSize(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return SizeOf(path, info);
}

}  // namespace howdah::os::files
