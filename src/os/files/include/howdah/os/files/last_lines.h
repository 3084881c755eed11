// The end of output: the last N lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::os::files {

// The last `lines` lines of a text; a last line without a newline counts.
std::string_view LastLines(std::string_view text, int64_t lines);

// Where the last `lines` lines of a file begin. Reads from the end, only as far as needed.
Result<int64_t> OffsetOfLastLines(int fd, int64_t lines);

}  // namespace howdah::os::files
