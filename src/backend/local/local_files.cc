#include "local_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/files.h"

namespace howdah::backend::local {
namespace {

constexpr size_t kMaxRead = size_t{256} << 20, kPiece = size_t{1} << 20;

class LocalFiles final : public storage::Files {
 public:
  Result<std::vector<Entry>> List(const std::string& path) override {
    HOWDAH_TRY(const auto names, os::files::ListDirectory(path));
    std::vector<Entry> entries;
    for (const std::string& name : names) {
      struct stat status;
      if (stat((path + "/" + name).c_str(), &status) != 0) continue;  // just deleted
      const auto modified = std::chrono::seconds(status.st_mtim.tv_sec) +
                            std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(status.st_mtim.tv_nsec));
      entries.push_back({name, S_ISDIR(status.st_mode), Instant(modified)});
    }
    return entries;
  }
  Result<std::string> Read(const std::string& path) override { return os::files::ReadFile(path, kMaxRead); }
  Status ReadFrom(const std::string& path, int64_t offset, const OnBytes& on_bytes) override {
    const os::files::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) return os::files::SystemError("reading " + path);
    std::string piece(kPiece, '\0');
    for (;;) {
      const ssize_t size = pread(file.get(), piece.data(), piece.size(), offset);
      if (size < 0) return os::files::SystemError("reading " + path);
      if (size == 0) return {};
      HOWDAH_TRY_STATUS(on_bytes(std::string_view(piece.data(), static_cast<size_t>(size))));
      offset += size;
    }
  }
  Status Write(const std::string& path, std::string_view bytes) override {
    return os::files::WriteFileAtomically(path, bytes, storage::kSharedFile);
  }
  Status MakeDirectories(const std::string& path) override {
    struct stat status;
    const bool is_there = stat(path.c_str(), &status) == 0;
    Status made = os::files::MakeDirectories(path, storage::kSharedDirectory);
    if (!made.ok() || is_there) return made;
    // Set the mode regardless of the umask, but keep the set-group-id bit inherited from the parent directory.
    if (stat(path.c_str(), &status) == 0 &&
        chmod(path.c_str(), storage::kSharedDirectory | (status.st_mode & S_ISGID)) == 0) {
      return {};
    }
    return os::files::SystemError("setting the permission of " + path);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    if (rename(from.c_str(), to.c_str()) == 0) return {};
    return os::files::SystemError("renaming " + from + " to " + to);
  }
  Status Delete(const std::string& path) override { return os::files::RemoveTree(path); }
};

}  // namespace

Result<std::unique_ptr<storage::Files>> OpenLocalFiles(const std::string& uri) {
  if (!uri.starts_with('/') && !uri.starts_with("file:")) {
    return Error{
        ErrorCode::kUnavailable,
        uri + ": the local backend supports only files of this machine; use --on yarn for files of the cluster"};
  }
  return std::unique_ptr<storage::Files>(std::make_unique<LocalFiles>());
}

}  // namespace howdah::backend::local
