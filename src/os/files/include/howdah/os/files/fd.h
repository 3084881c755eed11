// A file descriptor with one owner, and the conversion of errno to Error.
#pragma once

#include <cerrno>
#include <string_view>
#include <utility>

#include "howdah/base/result.h"

namespace howdah::os::files {

// Owns a file descriptor and closes it on destruction.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Passes ownership of the descriptor to the caller.
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }
  void Close();

 private:
  int fd_ = -1;
};

// Formats an error such as "writing job.json: No space left on device". The error code is kNotFound for ENOENT and
// ENOTDIR, kNoSpace for ENOSPC and EDQUOT, otherwise kFailed.
Error SystemError(std::string_view doing, int error = errno);

}  // namespace howdah::os::files
