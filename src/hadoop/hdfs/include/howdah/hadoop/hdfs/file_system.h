// Files of a cluster: HDFS, or a directory mounted on every node (file:). Paths are absolute and have no scheme.
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
  uint32_t permission = 0;  // such as 0755
  std::string owner, group;
  int64_t modified_millis = 0;  // since the Unix epoch, as in YARN's LocalResource
  int64_t block_size = 0;
};

struct CreateOptions {
  uint32_t permission = 0644;  // the exact permission of the new file; no umask is applied
  bool overwrite = false;
  int replication = 0;     // 0 for the file system's default
  int64_t block_size = 0;  // 0 for the file system's default
};

// A file that is being written. Not thread-safe. Memory is bounded by a few packets, regardless of the file size. If
// the writer is destroyed before Close has succeeded, the file is deleted, unless another file has its path now.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual Status Write(std::string_view bytes) = 0;
  // Makes the written bytes visible to readers that open the file later, and safe against the death of this process.
  // The file stays open.
  virtual Status Flush() = 0;
  // Completes the file. Call once.
  virtual Status Close() = 0;
};

class Reader {
 public:
  virtual ~Reader() = default;
  virtual int64_t size() const = 0;
  // Returns the next bytes, at most `most`, or an empty string at the end of the file. Verifies checksums. Tries all
  // replicas before returning an error.
  virtual Result<std::string> Read(size_t most) = 0;
  // As Read, but without a copy: receives at most `size` bytes into `out`, and returns their number.
  virtual Result<size_t> ReadInto(char* out, size_t size) = 0;
  virtual Status Seek(int64_t offset) = 0;
  // Announces that bytes behind this offset are not read next. HDFS then sends none of them, and its connection can be
  // used again. Reading on is still possible.
  virtual void ExpectUntil(int64_t offset) = 0;
};

// Blocking; not thread-safe. In errors of the NameNode, Error::remote_class is its exception class: SafeModeException,
// DSQuotaExceededException, AccessControlException and so on. A missing file results in kNotFound.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual std::string uri() const = 0;             // "hdfs://ns1", "hdfs://nn:8020", "file://"
  virtual std::string home_directory() const = 0;  // "/user/ann"; for file: the user's home on this machine
  // The principal of the NameNode and the protection of messages; see hadoop::rpc::BlockingClient::security.
  virtual std::string server_security() const = 0;
  // How the newest connection to a DataNode was protected: "encrypted (AES/CTR)", "not protected". Empty before the
  // first connection, and for file:.
  virtual std::string transfer_protection() const = 0;
  // The key of the newest file in an encryption zone: "the key 'k1' of the KMS https://example.com:9600/kms (…)". Empty
  // if no such file was read or written.
  virtual std::string encryption() const = 0;
  virtual Result<FileStatus> Stat(const std::string& path) = 0;
  virtual Result<std::vector<FileStatus>> List(const std::string& path) = 0;  // complete, sorted by name
  // Creates the directory and its parents with exactly this permission. Does nothing if the directory exists.
  virtual Status MakeDirectories(const std::string& path, uint32_t permission) = 0;
  virtual Status Rename(const std::string& from, const std::string& to, bool overwrite) = 0;
  virtual Status Delete(const std::string& path, bool recursive) = 0;  // succeeds if the path does not exist
  virtual Status SetPermission(const std::string& path, uint32_t permission) = 0;
  virtual Status SetTimes(const std::string& path, int64_t modified_millis) = 0;
  virtual Result<std::unique_ptr<Writer>> Create(const std::string& path, const CreateOptions& options) = 0;
  virtual Result<std::unique_ptr<Reader>> Open(const std::string& path) = 0;
};

}  // namespace howdah::hadoop::hdfs
