#include "posix_file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "paths.h"

namespace howdah::hadoop::hdfs {
namespace {

using os::files::Fd;
using os::files::SystemError;

FileStatus FileStatusOf(const struct stat& info, const std::string& name) {
  FileStatus status;
  status.name = name;
  status.directory = S_ISDIR(info.st_mode);
  status.length = status.directory ? 0 : info.st_size;
  status.permission = info.st_mode & 07777;
  status.owner = std::to_string(info.st_uid);
  status.group = std::to_string(info.st_gid);
  status.modified_millis = int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000;
  status.block_size = info.st_blksize;
  return status;
}

// Renames `from` to `to`. Without `overwrite`, renames only if `to` does not exist. NFS lacks renameat2; there, link(2)
// has the same effect atomically, except for directories, which cannot be linked.
Status Move(const std::string& from, const std::string& to, bool overwrite, const std::string& doing) {
  if (!overwrite && ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (!overwrite && errno != EINVAL && errno != ENOSYS) return SystemError(doing);
  if (!overwrite) {
    if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? Status() : SystemError(doing);
    struct stat info {};
    if (errno != EPERM || ::lstat(to.c_str(), &info) == 0) return SystemError(doing, EEXIST);
  }
  return ::rename(from.c_str(), to.c_str()) == 0 ? Status() : SystemError(doing);
}

class PosixWriter : public Writer {
 public:
  PosixWriter(Fd fd, std::string temporary, std::string path, bool overwrite)
      : fd_(std::move(fd)), present_(std::move(temporary)), path_(std::move(path)), overwrite_(overwrite) {}
  ~PosixWriter() override {
    if (!closed_) ::unlink(present_.c_str());
  }

  Status Write(std::string_view bytes) override { return os::files::WriteAll(fd_.get(), bytes, path_); }

  Status Flush() override {
    if (::fsync(fd_.get()) != 0) return SystemError("writing " + path_);
    if (present_ == path_) return {};
    HOWDAH_TRY_STATUS(Move(present_, path_, overwrite_, "writing " + path_));
    present_ = path_;
    return {};
  }

  Status Close() override {
    HOWDAH_TRY_STATUS(Flush());
    closed_ = true;  // set it before close(2), which releases the descriptor even if it returns an error
    if (::close(fd_.Release()) == 0) return {};
    const Error error = SystemError("closing " + path_);
    ::unlink(path_.c_str());
    return error;
  }

 private:
  Fd fd_;
  std::string present_, path_;
  bool overwrite_, closed_ = false;
};

class PosixReader : public Reader {
 public:
  PosixReader(Fd fd, std::string path, int64_t size) : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}

  int64_t size() const override { return size_; }

  Result<std::string> Read(size_t most) override {
    std::string bytes(std::min(most, size_t{1} << 20), '\0');
    HOWDAH_TRY(const size_t count, ReadInto(bytes.data(), bytes.size()));
    bytes.resize(count);
    return bytes;
  }

  Result<size_t> ReadInto(char* out, size_t size) override {
    ssize_t count = 0;
    do {
      count = ::pread(fd_.get(), out, size, position_);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return SystemError("reading " + path_);
    position_ += count;
    return static_cast<size_t>(count);
  }

  Status Seek(int64_t offset) override {
    if (offset < 0 || offset > size_) {
      return Failed("reading " + path_ + ": there is no byte " + std::to_string(offset) + ", it has " +
                    std::to_string(size_));
    }
    position_ = offset;
    return {};
  }

  void ExpectUntil(int64_t) override {}

 private:
  Fd fd_;
  std::string path_;
  int64_t size_, position_ = 0;
};

}  // namespace

Result<FileStatus> PosixFileSystem::Stat(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return SystemError("looking at " + path);
  return FileStatusOf(info, LastPart(path));
}

Result<std::vector<FileStatus>> PosixFileSystem::List(const std::string& path) {
  HOWDAH_TRY(const auto self, Stat(path));
  if (!self.directory) return std::vector{self};
  HOWDAH_TRY(const auto names, os::files::ListDirectory(path));
  std::vector<FileStatus> all;
  for (const std::string& name : names) {
    struct stat info {};
    // Skip dangling links, and files that were deleted after the directory was listed.
    if (::stat((path + "/" + name).c_str(), &info) == 0) all.push_back(FileStatusOf(info, name));
  }
  return all;
}

Status PosixFileSystem::MakeDirectories(const std::string& path, uint32_t permission) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  struct stat info {};
  if (::stat(clean.c_str(), &info) == 0) {
    return S_ISDIR(info.st_mode) ? Status() : SystemError("making the directory " + path, ENOTDIR);
  }
  if (clean != "/") {
    HOWDAH_TRY_STATUS(MakeDirectories(ParentOf(clean), permission));
  }
  if (::mkdir(clean.c_str(), 0700) != 0) {
    return errno == EEXIST ? Status() : SystemError("making the directory " + path);
  }
  return SetPermission(clean, permission);
}

Status PosixFileSystem::Rename(const std::string& from, const std::string& to, bool overwrite) {
  return Move(from, to, overwrite, "renaming " + from + " to " + to);
}

Status PosixFileSystem::Delete(const std::string& path, bool recursive) {
  if (recursive) return os::files::RemoveTree(path);
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return SystemError("removing " + path);
  return ::rmdir(path.c_str()) == 0 || errno == ENOENT ? Status() : SystemError("removing " + path);
}

Status PosixFileSystem::SetPermission(const std::string& path, uint32_t permission) {
  return ::chmod(path.c_str(), permission) == 0 ? Status() : SystemError("setting the permission of " + path);
}

Status PosixFileSystem::SetTimes(const std::string& path, int64_t modified_millis) {
  const timespec times[2] = {{0, UTIME_OMIT}, {modified_millis / 1000, modified_millis % 1000 * 1'000'000}};
  return ::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0 ? Status() : SystemError("setting the time of " + path);
}

Result<std::unique_ptr<Writer>> PosixFileSystem::Create(const std::string& path, const CreateOptions& options) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  const std::string doing = "creating " + path;
  struct stat info {};
  if (::lstat(clean.c_str(), &info) == 0 && (!options.overwrite || S_ISDIR(info.st_mode))) {
    return SystemError(doing, S_ISDIR(info.st_mode) ? EISDIR : EEXIST);
  }
  if (const Status made = MakeDirectories(ParentOf(clean), 0755); !made.ok()) return made.error().While(doing);
  std::random_device random;
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, ".howdah-%08x%08x", random(), random());
  const std::string temporary = ParentOf(clean) + "/." + LastPart(clean) + suffix;
  Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) return SystemError(doing);
  auto writer = std::make_unique<PosixWriter>(std::move(fd), temporary, clean, options.overwrite);
  if (::chmod(temporary.c_str(), options.permission) != 0) return SystemError(doing);
  return std::unique_ptr<Writer>(std::move(writer));
}

Result<std::unique_ptr<Reader>> PosixFileSystem::Open(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) return SystemError("reading " + path);
  if (S_ISDIR(info.st_mode)) return SystemError("reading " + path, EISDIR);
  return std::unique_ptr<Reader>(std::make_unique<PosixReader>(std::move(fd), path, info.st_size));
}

}  // namespace howdah::hadoop::hdfs
