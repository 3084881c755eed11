// Finds the last N lines of a text or file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::os::files {

// Returns the last `lines` lines of a text. An unterminated last line counts as a line.
std::string_view LastLines(std::string_view text, int64_t lines);

// Keeps the last lines of a text that arrives in pieces. Takes linear time, and at most 32 MiB of memory. If the last
// lines are longer than 16 MiB, at least their last 16 MiB are kept.
class LastLinesBuffer {
 public:
  explicit LastLinesBuffer(int64_t lines) : lines_(lines) {}
  void Add(std::string_view bytes);
  // Returns the last lines so far.
  std::string_view text() const { return LastLines(kept_, lines_); }
  size_t held_bytes() const { return kept_.size(); }

 private:
  int64_t lines_;
  std::string kept_;
  // Add trims when kept_ has this size: twice the size after the last trim, so that each byte is searched only a few
  // times.
  size_t trim_at_ = 0;
};

// Returns the offset at which the last `lines` lines of a file begin. Reads backwards from the end of the file, only as
// far as needed.
Result<int64_t> OffsetOfLastLines(int fd, int64_t lines);

}  // namespace howdah::os::files
