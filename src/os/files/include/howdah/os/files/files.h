// Files and directories. Paths are bytes. Every error names its path. All functions are thread-safe.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::files {

// Returns the whole content, or an error if the file has more than `limit` bytes. Follows links, and blocks on a named
// pipe until its writers close it: a file that a task or another user can replace needs ReadRegular (open_regular.h).
Result<std::string> ReadFile(const std::string& path, size_t limit = size_t{64} << 20);

// Returns the last line that is not blank within the last 2 KiB of a file. Returns "" if there is none or the file
// cannot be read.
std::string LastLine(const std::string& path);

// Replaces `path` atomically: readers see either the old or the new content. The mode is exact, whatever the umask. If
// the process is killed during the call, a temporary file may remain beside it; its name begins with a dot.
Status WriteFileAtomically(const std::string& path, std::string_view bytes, mode_t mode = 0644);
// Whether the name could be that of a temporary file of WriteFileAtomically.
bool IsTemporaryName(std::string_view name);

// Writes all bytes, in as many write(2) calls as needed. `what` names the target in the error, such as "journal.jsonl".
Status WriteAll(int fd, std::string_view bytes, std::string_view what);
// As WriteAll, but erases the written bytes from `bytes`, so that a later call continues after an error.
Status WriteAndErase(int fd, std::string& bytes, std::string_view what);
// Writes `line` and a newline in one write(2), so that lines of several O_APPEND writers do not interleave.
Status AppendLine(int fd, std::string_view line, std::string_view what);

// As `mkdir -p`: creates parents, and accepts an existing directory.
Status MakeDirectories(const std::string& path, mode_t mode = 0755);

// Removes the file or tree at `path`; succeeds if it does not exist. Does not follow symbolic links, restores missing
// permissions on directories of this user, and uses a bounded number of descriptors whatever the depth.
Status RemoveTree(const std::string& path);

// Copies the file or directory at `from` (followed if it is a link) to `to`, whose parent must exist.
// - An existing directory at `to` is filled; existing files are replaced, and existing links are not followed.
// - Permissions and times are kept, but not the set-user-id, set-group-id and sticky bits, and not the times of files
// that were modified in the future. Links are copied as links, named pipes are created again, sockets are left out.
// - Blocks are shared if the file system supports it.
// - `to` may lie inside `from`: it is not copied into itself.
// - Entries for which `skips` returns true are left out. `skips` receives paths below `from`, and may be empty.
// `on_bytes` receives the number of bytes copied since the last call, at least every 64 MiB. It may be empty.
using OnBytes = std::function<void(int64_t)>;
using Skips = std::function<bool(const std::string& path, bool is_directory)>;
Status CopyTree(const std::string& from, const std::string& to, const OnBytes& on_bytes = {}, const Skips& skips = {});

// The size in bytes of the file or tree at `path`. If `path` is a link, it is followed. A link inside the tree counts
// with its own size. Returns nullopt if `path` does not exist or cannot be listed.
std::optional<int64_t> TreeSize(const std::string& path);

// Returns the sorted names in a directory without "." and "..", at most `limit` of them.
Result<std::vector<std::string>> ListDirectory(const std::string& path, size_t limit = SIZE_MAX);
// The same for an open directory; `path` names it in errors.
Result<std::vector<std::string>> ListDirectory(const Fd& directory, const std::string& path, size_t limit = SIZE_MAX);

// An exclusive flock on a file. Try and Wait create the file if it is absent. The lock belongs to the open file:
// children made by fork share it. The kernel releases the lock when the last process that has the file open closes the
// file or exits.
class FileLock {
 public:
  // Returns nullopt if another process has the lock.
  static Result<std::optional<FileLock>> Try(const std::string& path);
  // As Try, but an absent file is the error kNotFound. Readers use this function, because a missing lock file does not
  // show that the owner is dead.
  static Result<std::optional<FileLock>> TryExisting(const std::string& path);
  // Blocks until the lock is free.
  static Result<FileLock> Wait(const std::string& path);
  // As Wait, but an absent file is the error kNotFound.
  static Result<FileLock> WaitExisting(const std::string& path);

  int fd() const { return fd_.get(); }

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace howdah::os::files
