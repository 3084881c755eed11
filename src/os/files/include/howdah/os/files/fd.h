// A file descriptor with one owner, and errors of the system as Error.
#pragma once

#include <cerrno>
#include <string_view>
#include <utility>

#include "howdah/base/result.h"

namespace howdah::os::files {

// Owns a file descriptor; closes it at the end.
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
  // Gives the descriptor up to the caller.
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }
  void Close();

 private:
  int fd_ = -1;
};

// "writing job.json: No space left on device". kNotFound for ENOENT and ENOTDIR, else kFailed.
Error SystemError(std::string_view doing, int error = errno);

}  // namespace howdah::os::files
