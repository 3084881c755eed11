// A small file of the kernel that is read repeatedly.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "howdah/os/files/fd.h"

namespace howdah::os::process {

// Opens the file once, and reads it from the beginning each time.
class CounterFile {
 public:
  CounterFile() = default;
  explicit CounterFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

  bool valid() const { return fd_.valid(); }
  // The content; empty if it cannot be read or is larger than 1 MiB. The result refers to `buffer`, which grows if the
  // file needs more.
  std::string_view Read(std::string& buffer) const {
    size_t size = 0;
    while (fd_.valid() && size < kLargest) {
      if (size == buffer.size()) buffer.resize(std::max<size_t>(buffer.size() * 2, 4096));
      const ssize_t count = ::pread(fd_.get(), buffer.data() + size, buffer.size() - size, static_cast<off_t>(size));
      if (count < 0) return {};
      if (count == 0) return std::string_view(buffer).substr(0, size);
      size += static_cast<size_t>(count);
    }
    return {};
  }

  // Passes the lines of a file that may be long to on_lines, in pieces that consist of whole lines, and that together
  // need 16 KiB of memory. Ends early at a longer line.
  template <typename OnLines>
  void ReadLines(std::string& buffer, const OnLines& on_lines) const {
    constexpr size_t kPiece = 16 << 10;
    buffer.resize(std::max(buffer.size(), kPiece));
    off_t offset = 0;
    for (size_t kept = 0; fd_.valid() && kept < kPiece;) {
      const ssize_t count = ::pread(fd_.get(), buffer.data() + kept, kPiece - kept, offset);
      if (count <= 0) return;
      offset += count;
      const std::string_view text(buffer.data(), kept + static_cast<size_t>(count));
      const size_t lines = text.rfind('\n') + 1;
      on_lines(text.substr(0, lines));
      kept = text.size() - lines;
      std::copy(text.begin() + static_cast<std::ptrdiff_t>(lines), text.end(), buffer.begin());
    }
  }

 private:
  static constexpr size_t kLargest = size_t{1} << 20;
  files::Fd fd_;
};

}  // namespace howdah::os::process
