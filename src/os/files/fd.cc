#include "howdah/os/files/fd.h"

#include <unistd.h>

#include <cstring>
#include <string>

namespace howdah::os::files {

void Fd::Close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

namespace {

ErrorCode CodeOf(int error) {
  if (error == ENOENT || error == ENOTDIR) return ErrorCode::kNotFound;
  if (error == ENOSPC || error == EDQUOT) return ErrorCode::kNoSpace;
  return ErrorCode::kFailed;
}

}  // namespace

Error SystemError(std::string_view doing, int error) {
  const char* text = ::strerrordesc_np(error);  // thread-safe, unlike strerror
  return {CodeOf(error),
          std::string(doing) + ": " + (text != nullptr ? std::string(text) : "error " + std::to_string(error))};
}

}  // namespace howdah::os::files
