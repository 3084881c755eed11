// A tree of small files that others read and write too, wherever a place can reach one: on this machine or in the
// cluster's file system.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::storage {

// Blocking; one thread at a time. Paths are absolute and without scheme. Errors name the path; kNotFound: nothing is
// there.
class Files {
 public:
  virtual ~Files() = default;

  struct Entry {
    std::string name;
    bool directory = false;
    Instant modified;
  };
  virtual Result<std::vector<Entry>> List(const std::string& path) = 0;  // by name
  virtual Result<std::string> Read(const std::string& path) = 0;         // at most 256 MiB
  // Hands on the bytes from `offset` to the end as it is now, in order and in pieces of at most 1 MiB, also of a file
  // that is being written: what its writer has flushed. None if it ends before. What on_bytes says no with is returned.
  using OnBytes = std::function<Status(std::string_view)>;
  virtual Status ReadFrom(const std::string& path, int64_t offset, const OnBytes& on_bytes) = 0;
  // Replaces what is there; whoever reads finds the old content or the new. A writer that is killed meanwhile may leave
  // a file beside it whose name begins with a dot.
  virtual Status Write(const std::string& path, std::string_view bytes) = 0;
  // With its parents, for the owner and the group; one that is there is left as it is.
  virtual Status MakeDirectories(const std::string& path) = 0;
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  virtual Status Delete(const std::string& path) = 0;  // with all below; of nothing: ok
};

// The permissions of what Files makes: as TonY makes them, so that its tools may read by their group.
inline constexpr unsigned kSharedDirectory = 0770, kSharedFile = 0644;

// The path of a URI: "hdfs://ns1/a/b" → "/a/b", "file:/a" → "/a", "/a/b" → "/a/b".
inline std::string PathOfUri(const std::string& uri) {
  const size_t colon = uri.find(':');
  if (uri.starts_with('/') || colon == std::string::npos) return uri;
  size_t path = colon + 1;
  if (uri.compare(path, 2, "//") == 0) path = uri.find('/', path + 2);
  return path == std::string::npos ? "/" : uri.substr(path);
}

}  // namespace howdah::storage
