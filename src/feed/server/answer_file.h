// The files in which processes pass their answers.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::feed::server {

inline constexpr int64_t kMostAnswerBytes = int64_t{256} << 20;

// Copies the first bytes of a memory file (memfd_create). Returns an error for every other kind of file, because
// reading it could block, and for a file that is shorter. The process may change the file at any time: the copy then
// has any bytes, or there is an error.
Result<std::string> ReadAnswerFile(const os::files::Fd& file, int64_t bytes);

}  // namespace howdah::feed::server
