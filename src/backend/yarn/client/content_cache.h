// The user's files by content in the cluster's file system: what is there already is not sent again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "content_hash.h"
#include "howdah/backend/yarn/layout.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/hdfs/file_system.h"

namespace howdah::backend::yarn::client {

// A file of the cluster as YARN's LocalResource names it.
struct RemoteFile {
  std::string uri;
  int64_t size = 0;
  int64_t modified_millis = 0;
  bool is_public = false;  // every user of a node may read it: nodes keep one copy for all
  friend bool operator==(const RemoteFile&, const RemoteFile&) = default;
};

// YARN's rule for its public cache (FSDownload.isPublic): everybody may enter the directory and every one above it.
bool IsWorldTraversable(hadoop::hdfs::FileSystem& files, const std::string& directory);

class ContentCache {
 public:
  // told: as bytes are sent, of how many in all; may be empty.
  ContentCache(hadoop::hdfs::FileSystem& files, Layout layout, std::string hashes_path,
               std::function<void(int64_t done, int64_t total)> reported);

  // Notes a file that is to be there after Send; the number by which `sent` knows it. suffix: what the name ends with,
  // as YARN unpacks by it (".tar.gz"; may be empty). A file that everybody may read, and whose directories everybody
  // may enter, is kept readable by all.
  Result<size_t> PendingContainers(const std::string& local_path, const std::string& suffix);
  Result<size_t> AddBytes(std::string bytes, const std::string& suffix);
  // Uploads what is not there. kFailed: a file changed while it was sent.
  Status Send();
  const RemoteFile& sent(size_t number) const { return items_[number].remote; }
  int64_t bytes_sent() const { return done_; }

 private:
  struct Item {
    std::string local_path;  // empty: `bytes`
    std::string bytes;
    std::string hash, path;
    int64_t size = 0;
    bool everybody = false;
    bool damaged = false;  // something of another size has its name
    RemoteFile remote;
  };
  Result<bool> IsThere(Item& item);
  Status MakeDirectories();
  Status Upload(Item& item);
  Status Fill(Item& item, hadoop::hdfs::Writer& writer);
  size_t Add(Item item, const std::string& suffix);

  hadoop::hdfs::FileSystem& files_;
  Layout layout_;
  HashCache hashes_;
  std::function<void(int64_t, int64_t)> told_;
  std::map<std::string, bool> entered_;  // directories of this machine: whether everybody may enter them
  std::vector<Item> items_;
  int64_t done_ = 0, total_ = 0;
};

}  // namespace howdah::backend::yarn::client
