// The file system of a directory tree that is mounted on every node.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "howdah/hadoop/hdfs/file_system.h"

namespace howdah::hadoop::hdfs {

// Owners are numbers ("1000"): a static program cannot use the name services of the machine.
class PosixFileSystem : public FileSystem {
 public:
  explicit PosixFileSystem(std::string home) : home_(std::move(home)) {}

  std::string uri() const override { return "file://"; }
  std::string home_directory() const override { return home_; }
  std::string server_security() const override { return {}; }
  std::string transfer_protection() const override { return {}; }
  std::string encryption() const override { return {}; }
  Result<FileStatus> Stat(const std::string& path) override;
  Result<std::vector<FileStatus>> List(const std::string& path) override;
  Status MakeDirectories(const std::string& path, uint32_t permission) override;
  Status Rename(const std::string& from, const std::string& to, bool overwrite) override;
  Status Delete(const std::string& path, bool recursive) override;
  Status SetPermission(const std::string& path, uint32_t permission) override;
  Status SetTimes(const std::string& path, int64_t modified_millis) override;
  // Writes to a temporary file (".NAME.howdah-...") in the directory of `path`. The first Flush, or Close, renames it
  // to `path`.
  Result<std::unique_ptr<Writer>> Create(const std::string& path, const CreateOptions& options) override;
  Result<std::unique_ptr<Reader>> Open(const std::string& path) override;

 private:
  std::string home_;
};

}  // namespace howdah::hadoop::hdfs
