// Reads the rest of an open file.
#pragma once

#include <cstddef>
#include <string>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::files {

// Reads to the end of the file, but at most `limit` bytes. `path` names the file in errors.
Result<std::string> ReadUpTo(const Fd& fd, size_t limit, const std::string& path);

// As ReadUpTo, but returns an error if the file has more than `limit` bytes.
Result<std::string> ReadWhole(const Fd& fd, size_t limit, const std::string& path);

}  // namespace howdah::os::files
