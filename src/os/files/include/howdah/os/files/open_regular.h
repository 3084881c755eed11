// Opens files that a task or another user may have replaced by something else. Opening a named pipe would block until
// another process opens its other end, opening a device has side effects, and a symbolic link leads to any file.
// All functions are thread-safe, never block on the kind of the file, and do not follow a symbolic link at the end of
// the path. The error names the path and what is there instead: "opening a/log: it is a FIFO, not a regular file".
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::files {

// Opens an existing file for reading.
Result<Fd> OpenRegular(const std::string& path);
// Opens the file `name` in the open directory `directory`. `path` names the file in errors.
Result<Fd> OpenRegularAt(int directory, const std::string& name, const std::string& path);
// Opens a file for reading, and creates it if absent.
Result<Fd> OpenOrMakeRegular(const std::string& path, mode_t mode);
// Opens a file for appending, and creates it if absent.
Result<Fd> OpenForAppend(const std::string& path, mode_t mode = 0644);

// Returns the whole content, or an error if the file has more than `limit` bytes.
Result<std::string> ReadRegular(const std::string& path, size_t limit);
// Returns the last `limit` bytes of a file, or the whole content if the file is shorter.
Result<std::string> ReadTail(const std::string& path, size_t limit);

}  // namespace howdah::os::files
