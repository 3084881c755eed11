// Files of a cluster: HDFS natively, or a directory that every node mounts (file:). Paths are absolute and without
// scheme.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::hadoop::hdfs {

struct FileStatus {
  std::string name;  // the last part of the path
  bool directory = false;
  int64_t length = 0;
  uint32_t permission = 0;  // 0755
  std::string owner, group;
  int64_t modified_millis = 0;  // since the Unix epoch, as YARN's LocalResource wants it
  int64_t block_size = 0;
};

struct CreateOptions {
  uint32_t permission = 0644;  // exactly: no umask is applied
  bool overwrite = false;
  int replication = 0;     // 0: the file system's default
  int64_t block_size = 0;  // 0: the file system's default
};

// A file being written. One thread. Memory is bounded by a few packets, whatever the size. A writer that is destroyed
// before Close has succeeded leaves no file behind.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual Status Write(std::string_view bytes) = 0;
  // What was written is visible to new readers and survives this process; the file stays open.
  virtual Status Flush() = 0;
  // The file is complete. Called once.
  virtual Status Close() = 0;
};

class Reader {
 public:
  virtual ~Reader() = default;
  virtual int64_t size() const = 0;
  // The next bytes, at most `most`; empty: the end. Checksums are verified; another replica is tried before an error.
  virtual Result<std::string> Read(size_t most) = 0;
  virtual Status Seek(int64_t offset) = 0;
};

// Blocking; one thread at a time. Errors carry the NameNode's exception class (Error::remote_class): SafeModeException,
// DSQuotaExceededException, AccessControlException, ...; kNotFound: no such file.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual std::string uri() const = 0;             // "hdfs://ns1", "hdfs://nn:8020", "file://"
  virtual std::string home_directory() const = 0;  // "/user/ann"; on file: the user's home
  virtual Result<FileStatus> Stat(const std::string& path) = 0;
  virtual Result<std::vector<FileStatus>> List(const std::string& path) = 0;  // by name, without limit
  // With its parents; one that is there is left as it is. permission: of what is made, exactly.
  virtual Status MakeDirectories(const std::string& path, uint32_t permission) = 0;
  virtual Status Rename(const std::string& from, const std::string& to, bool overwrite) = 0;
  virtual Status Delete(const std::string& path, bool recursive) = 0;  // of nothing: ok
  virtual Status SetPermission(const std::string& path, uint32_t permission) = 0;
  virtual Status SetTimes(const std::string& path, int64_t modified_millis) = 0;
  virtual Result<std::unique_ptr<Writer>> Create(const std::string& path, const CreateOptions& options) = 0;
  virtual Result<std::unique_ptr<Reader>> Open(const std::string& path) = 0;
};

}  // namespace howdah::hadoop::hdfs
