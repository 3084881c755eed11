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

 private:
  static constexpr size_t kLargest = size_t{1} << 20;
  files::Fd fd_;
};

}  // namespace howdah::os::process
