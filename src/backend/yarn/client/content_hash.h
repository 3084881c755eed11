// The name of a content: its SHA-256, remembered for large files that have not changed.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::backend::yarn::client {

// 64 hexadecimal digits.
std::string HashOf(std::string_view bytes);

// Hashing gigabytes takes seconds, and most submissions send the same environment again: the hash of a large file is
// kept beside its identity (device, inode, size, times). What changed within the last two seconds is not kept, as it
// may change again within the clock's grain.
class HashCache {
 public:
  // path: of the file that remembers; it may be absent. What cannot be read is as if it were not there.
  explicit HashCache(std::string path);
  // Writes what is new. Failing to remember is no error.
  ~HashCache();
  HashCache(const HashCache&) = delete;
  HashCache& operator=(const HashCache&) = delete;

  Result<std::string> OfFile(const std::string& file);

 private:
  std::string path_;
  std::map<std::string, std::string> known_;  // identity → hash
  std::string added_;
};

}  // namespace howdah::backend::yarn::client
