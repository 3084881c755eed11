// A directory of this process for files that nobody needs afterwards.
#pragma once

#include <string>

#include "howdah/base/result.h"

namespace howdah::os::files {

// A directory below $TMPDIR, or /tmp, which only this user can read. The destructor removes it with its contents, and
// follows no links.
class TemporaryDirectory {
 public:
  // The path begins with "howdah-NAME.".
  static Result<TemporaryDirectory> Make(const std::string& name);
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace howdah::os::files
