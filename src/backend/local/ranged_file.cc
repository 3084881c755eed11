#include "ranged_file.h"

#include <unistd.h>

#include <algorithm>

#include "howdah/os/files/open_regular.h"

namespace howdah::backend::local {

Result<RangedFile> RangedFile::Open(const std::string& path) {
  HOWDAH_TRY(auto file, os::files::OpenRegular(path));
  return RangedFile(path, std::move(file));
}

Result<struct stat> RangedFile::Stat() const {
  struct stat found {};
  if (fstat(file_.get(), &found) != 0) return os::files::SystemError("reading " + path_);
  return found;
}

Result<int64_t> RangedFile::Size() {
  HOWDAH_TRY(const struct stat found, Stat());
  return int64_t{found.st_size};
}

Result<std::string> RangedFile::Read(int64_t offset, int64_t size) {
  HOWDAH_TRY(const int64_t end, Size());
  const int64_t available = std::max<int64_t>(0, end - offset);
  std::string bytes(static_cast<size_t>(std::min(size, available)), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        pread(file_.get(), bytes.data() + done, bytes.size() - done, offset + static_cast<int64_t>(done));
    if (count < 0) return os::files::SystemError("reading " + path_);
    if (count == 0) break;  // the file has become shorter
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace howdah::backend::local
