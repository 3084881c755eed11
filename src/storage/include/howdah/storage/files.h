// An interface to small files that other programs read and write, too. Depending on the backend, the files are on this
// machine or in the cluster's file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::storage {

// Blocking; not thread-safe. Paths are absolute and have no scheme. Errors contain the path. A missing file or
// directory results in kNotFound.
class Files {
 public:
  virtual ~Files() = default;

  struct Entry {
    std::string name;
    bool directory = false;
    Instant modified;
  };
  // Sorted by name. Symbolic links do not count as directories.
  virtual Result<std::vector<Entry>> List(const std::string& path) = 0;
  // Returns the whole content, or an error if the file has more than `limit` bytes.
  virtual Result<std::string> Read(const std::string& path, size_t limit) = 0;
  // Passes the bytes from `offset` to the present end of the file to on_bytes, in order and in pieces of at most 1 MiB.
  // Passes none if the file is shorter. If the file is being written, its end is where the writer last flushed. If
  // on_bytes returns an error, ReadFrom stops and returns the error.
  using OnBytes = std::function<Status(std::string_view)>;
  virtual Status ReadFrom(const std::string& path, int64_t offset, const OnBytes& on_bytes) = 0;
  // Replaces the file atomically: readers find either the old or the new content. If the writer is killed during the
  // call, it may leave a temporary file in the same directory, whose name begins with a dot.
  virtual Status Write(const std::string& path, std::string_view bytes) = 0;
  // Creates the directory and its parents with permissions for owner and group. Does nothing if the directory exists.
  virtual Status MakeDirectories(const std::string& path) = 0;
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  virtual Status Delete(const std::string& path) = 0;  // with all files below it; succeeds if the path does not exist

  // A directory that another user may own and may change while it is in use. All names are names of its entries.
  class Directory {
   public:
    virtual ~Directory() = default;
    virtual Result<std::vector<Entry>> List() = 0;  // sorted by name
    // Returns an error unless `name` is a regular file with the same owner as the directory.
    virtual Status CheckOwner(const std::string& name) = 0;
    virtual Status Rename(const std::string& from, const std::string& to) = 0;
    // Deletes the temporary files that killed writers have left (see Write), and nothing else.
    virtual Status DeleteTemporaries() = 0;
    // Moves the directory to TOP/BELOW and keeps its name. Creates BELOW as MakeDirectories does.
    virtual Status MoveTo(const std::string& top, const std::string& below) = 0;
  };
  // Opens a directory, but not a symbolic link to one. The default implementation does not check owners. It is for file
  // systems without symbolic links, where a path is safe to use.
  virtual Result<std::unique_ptr<Directory>> OpenDirectory(const std::string& path);
};

// The permissions of new directories and files. They are those of TonY, so that TonY's tools have access through their
// group.
inline constexpr unsigned kSharedDirectory = 0770, kSharedFile = 0644;

// Returns the path of a URI: "hdfs://ns1/a/b" → "/a/b", "file:/a" → "/a", "/a/b" → "/a/b".
inline std::string PathOfUri(const std::string& uri) {
  const size_t colon = uri.find(':');
  if (uri.starts_with('/') || colon == std::string::npos) return uri;
  size_t path = colon + 1;
  if (uri.compare(path, 2, "//") == 0) path = uri.find('/', path + 2);
  return path == std::string::npos ? "/" : uri.substr(path);
}

}  // namespace howdah::storage
