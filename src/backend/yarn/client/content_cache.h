// A cache of the user's files in the cluster's file system. Files are named by the hash of their content, so that the
// same content is uploaded only once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/backend/yarn/layout.h"
#include "howdah/backend/yarn/staged_file.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/hdfs/file_system.h"

namespace howdah::backend::yarn::client {

// Returns the SHA-256 as 64 hexadecimal digits.
std::string HashOf(std::string_view bytes);

// Stores the hashes of large files by the files' identity (device, inode, size, times), because hashing gigabytes takes
// seconds and most submissions stage the same environment again. Does not store the hash of a file that changed within
// the last two seconds: the file may change again without a new modification time.
class HashCache {
 public:
  // path: the cache file. A missing or unreadable cache file counts as empty.
  explicit HashCache(std::string path);
  // Writes the new hashes. Errors are ignored.
  ~HashCache();
  HashCache(const HashCache&) = delete;
  HashCache& operator=(const HashCache&) = delete;

  Result<std::string> OfFile(const std::string& file);

 private:
  std::string path_;
  std::map<std::string, std::string> known_;  // hash by identity
  std::string added_;
};

// Whether a directory meets YARN's condition for its public cache (FSDownload.isPublic): everybody may enter the
// directory and all its parents.
bool IsWorldTraversable(hadoop::hdfs::FileSystem& files, const std::string& directory);

class ContentCache {
 public:
  using OnProgress = std::function<void(int64_t done, int64_t total)>;  // done and total are in bytes
  ContentCache(hadoop::hdfs::FileSystem& files, Layout layout, std::string hashes_path, OnProgress on_progress);

  // Adds a file for the next Upload. Returns its number for file(). The file is public if everybody may read it and
  // enter its directories. suffix: the end of the name in the cluster (".tar.gz"), by which YARN recognises the archive
  // format; may be empty.
  Result<size_t> Add(const std::string& local_path, const std::string& suffix);
  Result<size_t> AddBytes(std::string bytes, const std::string& suffix);
  // Uploads the files that the cluster lacks. Returns kFailed if the size of a file has changed since Add.
  Status Upload();
  const StagedFile& file(size_t number) const { return items_[number].file; }
  int64_t bytes_sent() const { return done_; }

 private:
  struct Item {
    std::string local_path;  // empty if the content is in `bytes`
    std::string bytes;
    std::string hash, path;
    int64_t size = 0;
    bool world_readable = false;
    bool damaged = false;  // the file of this name in the cluster has another size
    StagedFile file;
  };
  Result<bool> IsThere(Item& item);
  Status MakeDirectories();
  Status UploadItem(Item& item);
  Status Fill(Item& item, hadoop::hdfs::Writer& writer);
  size_t AddItem(Item item, const std::string& suffix);

  hadoop::hdfs::FileSystem& files_;
  Layout layout_;
  HashCache hashes_;
  OnProgress on_progress_;
  std::map<std::string, bool> traversable_;  // whether everybody may enter a local directory, by its path
  std::vector<Item> items_;
  int64_t done_ = 0, total_ = 0;
};

}  // namespace howdah::backend::yarn::client
