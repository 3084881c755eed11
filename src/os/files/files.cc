#include "howdah/os/files/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "howdah/os/files/open_regular.h"
#include "read_up_to.h"

namespace howdah::os::files {
namespace {

constexpr std::string_view kTemporary = ".XXXXXX";  // for mkostemp, which replaces the X by letters and digits

Result<Fd> OpenLockFile(const std::string& path, int flags) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0644));
  if (!fd.valid()) return SystemError("opening the lock " + path);
  return fd;
}

// Returns false if another process has the lock.
Result<bool> TryLock(int fd, const std::string& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  return SystemError("locking " + path);
}

Status WaitForLock(int fd, const std::string& path) {
  while (::flock(fd, LOCK_EX) != 0) {
    if (errno != EINTR) return SystemError("locking " + path);
  }
  return {};
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, size_t limit) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return SystemError("opening " + path);
  return ReadWhole(fd, limit, path);
}

std::string LastLine(const std::string& path) {
  constexpr size_t kWindow = 2048;
  const auto tail = ReadTail(path, kWindow);
  if (!tail.ok()) return "";
  const size_t end = tail->find_last_not_of(" \r\n");
  if (end == std::string::npos) return "";
  const size_t newline = tail->rfind('\n', end);
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return tail->substr(begin, end + 1 - begin);
}

Status WriteAll(int fd, std::string_view bytes, std::string_view what) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("writing " + std::string(what));
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

Status WriteAndErase(int fd, std::string& bytes, std::string_view what) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("writing " + std::string(what));
    bytes.erase(0, static_cast<size_t>(count));
  }
  return {};
}

Status AppendLine(int fd, std::string_view line, std::string_view what) {
  std::string text;
  text.reserve(line.size() + 1);
  text.append(line).push_back('\n');
  return WriteAll(fd, text, what);
}

Status WriteFileAtomically(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string temporary = path.substr(0, path.rfind('/') + 1) + std::string(kTemporary);
  Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return SystemError("writing " + path);
  Status done = WriteAll(fd.get(), bytes, path);
  if (done.ok() && ::fchmod(fd.get(), mode) != 0) done = SystemError("writing " + path);
  if (done.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) done = SystemError("writing " + path);
  if (!done.ok()) ::unlink(temporary.c_str());
  return done;
}

bool IsTemporaryName(std::string_view name) {
  const auto letter_or_digit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  return name.size() == kTemporary.size() && name.front() == '.' &&
         std::all_of(name.begin() + 1, name.end(), letter_or_digit);
}

namespace {

// Makes one directory. Its owner has the rights of `mode` whatever the umask is, because an umask such as 0777 would
// make a directory that its own maker cannot use. Returns false and sets errno if there is no new directory.
bool MakeDirectory(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) return false;
  struct stat made {};
  if (::lstat(path.c_str(), &made) == 0 && (made.st_mode & mode & S_IRWXU) != (mode & S_IRWXU))
    static_cast<void>(::chmod(path.c_str(), (made.st_mode & 07777) | (mode & S_IRWXU)));
  return true;
}

}  // namespace

Status MakeDirectories(const std::string& path, mode_t mode) {
  if (MakeDirectory(path, mode)) return {};
  if (errno == ENOENT) {
    const size_t slash = path.find_last_of('/', path.find_last_not_of('/'));
    if (slash != std::string::npos && slash != 0) {
      HOWDAH_TRY_STATUS(MakeDirectories(path.substr(0, slash), mode));
      if (MakeDirectory(path, mode)) return {};
    }
  }
  struct stat info {};
  const int error = errno;
  if (error == EEXIST && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  return SystemError("making the directory " + path, error == EEXIST ? ENOTDIR : error);
}

Result<std::vector<std::string>> ListDirectory(const std::string& path, size_t limit) {
  const Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) return SystemError("listing " + path);
  return ListDirectory(directory, path, limit);
}

Result<std::vector<std::string>> ListDirectory(const Fd& opened, const std::string& path, size_t limit) {
  Fd own(::openat(opened.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* directory = own.valid() ? ::fdopendir(own.get()) : nullptr;
  if (directory == nullptr) return SystemError("listing " + path);
  static_cast<void>(own.Release());  // closedir closes the descriptor
  std::vector<std::string> names;
  errno = 0;
  while (names.size() < limit) {
    const dirent* entry = ::readdir(directory);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  const int error = errno;
  ::closedir(directory);
  if (error != 0) return SystemError("listing " + path, error);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::optional<FileLock>> FileLock::Try(const std::string& path) {
  HOWDAH_TRY(auto fd, OpenLockFile(path, O_CREAT));
  HOWDAH_TRY(const bool locked, TryLock(fd.get(), path));
  return locked ? std::optional(FileLock(std::move(fd))) : std::nullopt;
}

Result<std::optional<FileLock>> FileLock::TryExisting(const std::string& path) {
  HOWDAH_TRY(auto fd, OpenLockFile(path, 0));
  HOWDAH_TRY(const bool locked, TryLock(fd.get(), path));
  return locked ? std::optional(FileLock(std::move(fd))) : std::nullopt;
}

Result<FileLock> FileLock::Wait(const std::string& path) {
  HOWDAH_TRY(auto fd, OpenLockFile(path, O_CREAT));
  HOWDAH_TRY_STATUS(WaitForLock(fd.get(), path));
  return FileLock(std::move(fd));
}

Result<FileLock> FileLock::WaitExisting(const std::string& path) {
  HOWDAH_TRY(auto fd, OpenLockFile(path, 0));
  HOWDAH_TRY_STATUS(WaitForLock(fd.get(), path));
  return FileLock(std::move(fd));
}

}  // namespace howdah::os::files
