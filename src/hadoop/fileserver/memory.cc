#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <utility>

#include "howdah/os/files/files.h"

namespace howdah::hadoop::fileserver {

Result<Memory> Memory::Map(int fd) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0) return os::files::SystemError("examining the shared memory");
  if ((seals & F_SEAL_SHRINK) == 0) return Failed("the shared memory is not sealed against shrinking");
  struct stat info {};
  if (::fstat(fd, &info) != 0) return os::files::SystemError("examining the shared memory");
  const auto size = static_cast<size_t>(info.st_size);
  void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (begin == MAP_FAILED) return os::files::SystemError("mapping the shared memory");
  return Memory(static_cast<char*>(begin), info.st_size);
}

Memory::~Memory() {
  if (begin_ != nullptr) ::munmap(begin_, static_cast<size_t>(size_));
}

Memory::Memory(Memory&& other) noexcept : begin_(std::exchange(other.begin_, nullptr)), size_(other.size_) {}

char* Memory::At(int64_t offset, int64_t length) const {
  if (offset < 0 || length < 0 || offset > size_ || length > size_ - offset) return nullptr;
  return begin_ + offset;
}

}  // namespace howdah::hadoop::fileserver
