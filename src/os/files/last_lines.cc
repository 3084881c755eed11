#include "howdah/os/files/last_lines.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "howdah/os/files/fd.h"

namespace howdah::os::files {
namespace {

constexpr int64_t kBlock = int64_t{64} << 10;
constexpr size_t kFirstTrim = size_t{256} << 10;
constexpr size_t kMostKept = size_t{16} << 20;

}  // namespace

std::string_view LastLines(std::string_view text, int64_t lines) {
  if (lines <= 0) return text.substr(text.size());
  size_t at = text.size();
  if (at > 0 && text[at - 1] == '\n') --at;  // this newline terminates the last line
  for (; at > 0; --at) {
    if (text[at - 1] == '\n' && --lines == 0) break;
  }
  return text.substr(at);
}

void LastLinesBuffer::Add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kFirstTrim);
    bytes.remove_prefix(piece.size());
    kept_ += piece;
    if (kept_.size() < std::max(trim_at_, kFirstTrim)) continue;
    kept_.erase(0, kept_.size() - std::min(text().size(), kMostKept));
    trim_at_ = 2 * kept_.size();
  }
}

Result<int64_t> OffsetOfLastLines(int fd, int64_t lines) {
  struct stat facts {};
  if (fstat(fd, &facts) != 0) return SystemError("reading output");
  if (lines <= 0) return int64_t{facts.st_size};
  std::vector<char> block(static_cast<size_t>(kBlock));
  for (int64_t end = facts.st_size; end > 0;) {
    const int64_t begin = std::max<int64_t>(end - kBlock, 0);
    const ssize_t size = pread(fd, block.data(), static_cast<size_t>(end - begin), begin);
    if (size != end - begin) return SystemError("reading output");
    for (int64_t at = end - 1; at >= begin; --at) {
      const bool last_of_file = at == facts.st_size - 1;
      if (block[static_cast<size_t>(at - begin)] == '\n' && !last_of_file && --lines == 0) return at + 1;
    }
    end = begin;
  }
  return int64_t{0};
}

}  // namespace howdah::os::files
