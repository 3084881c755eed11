// A regular file that is read by position.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::backend::local {

// Reads the file that the path named at Open, also after it was replaced.
class RangedFile final : public backend::LogFile {
 public:
  static Result<RangedFile> Open(const std::string& path);

  Result<struct stat> Stat() const;
  Result<int64_t> Size() override;
  Result<std::string> Read(int64_t offset, int64_t size) override;

 private:
  RangedFile(std::string path, os::files::Fd file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  os::files::Fd file_;
};

}  // namespace howdah::backend::local
