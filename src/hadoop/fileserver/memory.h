// A memory file of the client, to which answers are written without a copy through a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "howdah/base/result.h"

namespace howdah::hadoop::fileserver {

// Thread-safe: the client decides which requests may write to which part.
class Memory {
 public:
  // Maps the whole file. Returns an error unless the file is sealed against shrinking: this process would be killed by
  // an access to pages that no longer exist.
  static Result<Memory> Map(int fd);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;

  // The address of a part; null if it is not within the file.
  char* At(int64_t offset, int64_t length) const;

 private:
  Memory(char* begin, int64_t size) : begin_(begin), size_(size) {}

  char* begin_;
  int64_t size_;
};

}  // namespace howdah::hadoop::fileserver
