// Finds the last N lines of a text or file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::os::files {

// Returns the last `lines` lines of a text. An unterminated last line counts as a line.
std::string_view LastLines(std::string_view text, int64_t lines);

// Returns the offset at which the last `lines` lines of a file begin. Reads backwards from the end of the file, only as
// far as needed.
Result<int64_t> OffsetOfLastLines(int fd, int64_t lines);

}  // namespace howdah::os::files
