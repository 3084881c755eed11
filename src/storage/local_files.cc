#include "howdah/storage/local_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "local_directory.h"

namespace howdah::storage {
namespace {

constexpr size_t kPiece = size_t{1} << 20;

class LocalFiles final : public Files {
 public:
  Result<std::vector<Entry>> List(const std::string& path) override {
    const os::files::Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.valid()) return os::files::SystemError("listing " + path);
    return ListOpenDirectory(directory, path);
  }
  Result<std::string> Read(const std::string& path, size_t limit) override {
    return os::files::ReadRegular(path, limit);
  }
  Status ReadFrom(const std::string& path, int64_t offset, const OnBytes& on_bytes) override {
    HOWDAH_TRY(const auto file, os::files::OpenRegular(path));
    std::string piece(kPiece, '\0');
    for (;;) {
      const ssize_t size = ::pread(file.get(), piece.data(), piece.size(), offset);
      if (size < 0) return os::files::SystemError("reading " + path);
      if (size == 0) return {};
      HOWDAH_TRY_STATUS(on_bytes(std::string_view(piece.data(), static_cast<size_t>(size))));
      offset += size;
    }
  }
  Status Write(const std::string& path, std::string_view bytes) override {
    return os::files::WriteFileAtomically(path, bytes, kSharedFile);
  }
  Status MakeDirectories(const std::string& path) override {
    struct stat status {};
    const bool is_there = ::stat(path.c_str(), &status) == 0;
    Status made = os::files::MakeDirectories(path, kSharedDirectory);
    if (!made.ok() || is_there) return made;
    // Set the mode independently of the umask, and keep the set-group-id bit inherited from the parent.
    if (::stat(path.c_str(), &status) == 0 &&
        ::chmod(path.c_str(), kSharedDirectory | (status.st_mode & S_ISGID)) == 0) {
      return {};
    }
    return os::files::SystemError("setting the permission of " + path);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return {};
    return os::files::SystemError("renaming " + from + " to " + to);
  }
  Status Delete(const std::string& path) override { return os::files::RemoveTree(path); }
  Result<std::unique_ptr<Directory>> OpenDirectory(const std::string& path) override {
    return LocalDirectory::Open(path);
  }
};

}  // namespace

std::unique_ptr<Files> OpenLocalFiles() { return std::make_unique<LocalFiles>(); }

}  // namespace howdah::storage
