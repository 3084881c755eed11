#include "local_directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "howdah/os/files/directories_below.h"
#include "howdah/os/files/files.h"

namespace howdah::storage {
namespace {

using os::files::Fd;
using os::files::SystemError;

constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

std::optional<struct stat> StatOf(const Fd& fd) {
  struct stat info {};
  return ::fstat(fd.get(), &info) == 0 ? std::optional(info) : std::nullopt;
}

// Does not follow a link.
std::optional<struct stat> StatOf(const Fd& directory, const std::string& name) {
  struct stat info {};
  return ::fstatat(directory.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 ? std::optional(info) : std::nullopt;
}

// Renames without replacing an existing target, unless the file system does not support that.
int RenameOnly(const Fd& from, const std::string& old_name, const Fd& to, const std::string& new_name) {
  const int renamed = ::renameat2(from.get(), old_name.c_str(), to.get(), new_name.c_str(), RENAME_NOREPLACE);
  if (renamed == 0 || (errno != EINVAL && errno != ENOSYS)) return renamed;
  return ::renameat(from.get(), old_name.c_str(), to.get(), new_name.c_str());
}

}  // namespace

Result<std::vector<Files::Entry>> ListOpenDirectory(const Fd& directory, const std::string& path) {
  HOWDAH_TRY(const auto names, os::files::ListDirectory(directory, path));
  std::vector<Files::Entry> entries;
  for (const std::string& name : names) {
    const auto info = StatOf(directory, name);
    if (!info && errno == ENOENT) continue;  // just deleted
    if (!info) return SystemError("listing " + path);
    entries.push_back({name, S_ISDIR(info->st_mode), ToInstant(info->st_mtim)});
  }
  return entries;
}

Result<std::unique_ptr<Files::Directory>> LocalDirectory::Open(const std::string& path) {
  const size_t slash = path.rfind('/');
  Fd parent(::open(slash == 0 ? "/" : path.substr(0, slash).c_str(), kFlags));
  if (!parent.valid()) return SystemError("opening " + path);
  Fd self(::openat(parent.get(), path.substr(slash + 1).c_str(), kFlags | O_NOFOLLOW));
  if (!self.valid() && (errno == ELOOP || errno == ENOTDIR)) return Failed("opening " + path + ": not a directory");
  if (!self.valid()) return SystemError("opening " + path);
  return std::unique_ptr<Files::Directory>(new LocalDirectory(path, std::move(parent), std::move(self)));
}

Result<std::vector<Files::Entry>> LocalDirectory::List() { return ListOpenDirectory(self_, path_); }

Status LocalDirectory::CheckOwner(const std::string& name) {
  const auto file = StatOf(self_, name);
  if (!file) return SystemError("looking at " + path_ + "/" + name);
  if (!S_ISREG(file->st_mode)) return Failed(path_ + "/" + name + " is not a regular file");
  const auto self = StatOf(self_);
  if (!self) return SystemError("looking at " + path_);
  if (self->st_uid == file->st_uid) return {};
  return Failed(path_ + " belongs to user " + std::to_string(self->st_uid) + ", but its file " + name + " to user " +
                std::to_string(file->st_uid));
}

Status LocalDirectory::Rename(const std::string& from, const std::string& to) {
  if (::renameat(self_.get(), from.c_str(), self_.get(), to.c_str()) == 0) return {};
  return SystemError("renaming " + path_ + "/" + from + " to " + to);
}

Status LocalDirectory::DeleteTemporaries() {
  HOWDAH_TRY(const auto entries, List());
  for (const Files::Entry& entry : entries) {
    const auto info = StatOf(self_, entry.name);
    if (!os::files::IsTemporaryName(entry.name) || !info || !S_ISREG(info->st_mode)) continue;
    if (::unlinkat(self_.get(), entry.name.c_str(), 0) != 0 && errno != ENOENT) {
      return SystemError("removing " + path_ + "/" + entry.name);
    }
  }
  return {};
}

bool LocalDirectory::IsAt(const Fd& parent, const std::string& name) const {
  const auto self = StatOf(self_), there = StatOf(parent, name);
  return self && there && self->st_dev == there->st_dev && self->st_ino == there->st_ino;
}

Status LocalDirectory::MoveTo(const std::string& top, const std::string& below) {
  const std::string to = top + "/" + below + "/" + name();
  HOWDAH_TRY(const Fd parent, os::files::MakeDirectoriesBelow(top, below, {kSharedDirectory, /*exact=*/true}));
  if (!IsAt(parent_, name())) return Failed("moving " + path_ + ": it was replaced meanwhile");
  if (RenameOnly(parent_, name(), parent, name()) != 0) return SystemError("renaming " + path_ + " to " + to);
  if (!IsAt(parent, name()))
    return Failed("moving " + path_ + ": it was replaced meanwhile, so " + to + " is another directory");
  return {};
}

}  // namespace howdah::storage
