// Files and directories, the way the agent and the clients use them. Paths are bytes. Every error names its path.
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

// The whole content; a file of more than `limit` bytes is an error.
Result<std::string> ReadFile(const std::string& path, size_t limit = size_t{64} << 20);
// The last `limit` bytes of a file, or all of it if it is shorter.
Result<std::string> ReadTail(const std::string& path, size_t limit);

// The last words of a log: its last line that is not blank, of its last 2 KiB; empty: there is none, or it cannot be
// read.
std::string LastLine(const std::string& path);

// Whoever opens `path` finds either the old content or the new, whole. The mode is exact, whatever the umask. Whoever
// is killed meanwhile may leave a file beside it whose name begins with a dot.
Status WriteFileAtomically(const std::string& path, std::string_view bytes, mode_t mode = 0644);

// Writes all of it, whatever the size of the kernel's steps. what: for the message, "journal.jsonl".
Status WriteAll(int fd, std::string_view bytes, std::string_view what);
// `line` and a newline in one write(2), so that lines of several writers with O_APPEND do not mix.
Status AppendLine(int fd, std::string_view line, std::string_view what);
// Opened for appending, created if absent, close-on-exec.
Result<Fd> OpenForAppend(const std::string& path, mode_t mode = 0644);

// As mkdir -p: parents too, and a directory that is there already is fine.
Status MakeDirectories(const std::string& path, mode_t mode = 0755);

// Removes whatever is at `path` and below; nothing there is fine. Never follows a symbolic link, gives itself the
// rights on directories of its own user that lack them, and needs a bounded number of descriptors however deep the tree
// is.
Status RemoveTree(const std::string& path);

// Copies the file or directory at `from` (followed if it is a link) to `to`, whose parent exists. A directory that is
// at `to` already is filled up; files in the way are replaced, links in the way are not followed. Modes and times are
// kept, links are copied as links, named pipes made again, sockets left out; blocks are shared where the file system
// can. `to` may lie inside `from`: it is not copied into itself.
// on_bytes: told how many more bytes have been copied, at least every 64 MiB; may be empty.
using OnBytes = std::function<void(int64_t)>;
Status CopyTree(const std::string& from, const std::string& to, const OnBytes& on_bytes = {});

// The bytes of the files at `path` (followed if it is a link) and below; links count as what they are. nullopt: it is
// not there, or cannot be listed.
std::optional<int64_t> TreeSize(const std::string& path);

// The names in a directory without "." and "..", sorted; at most `limit` of them.
Result<std::vector<std::string>> ListDirectory(const std::string& path, size_t limit = SIZE_MAX);

// An exclusive flock on a file, made if absent. Belongs to the open file: children made by fork hold it too, and it is
// free when the last holder is gone, however that ended.
class FileLock {
 public:
  // nullopt: somebody else holds it.
  static Result<std::optional<FileLock>> Try(const std::string& path);
  // Blocks until it is free.
  static Result<FileLock> Wait(const std::string& path);

  int fd() const { return fd_.get(); }

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace howdah::os::files
