// A directory of this machine that another user may own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "howdah/os/files/fd.h"
#include "howdah/storage/files.h"

namespace howdah::storage {

// Keeps the directory open and uses only its descriptor. Therefore the owner of the directory cannot redirect this
// program to other files by replacing the directory or its entries by links.
class LocalDirectory final : public Files::Directory {
 public:
  static Result<std::unique_ptr<Files::Directory>> Open(const std::string& path);

  Result<std::vector<Files::Entry>> List() override;
  Status CheckOwner(const std::string& name) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status DeleteTemporaries() override;
  Status MoveTo(const std::string& top, const std::string& below) override;

 private:
  LocalDirectory(std::string path, os::files::Fd parent, os::files::Fd self)
      : path_(std::move(path)), parent_(std::move(parent)), self_(std::move(self)) {}

  std::string name() const { return path_.substr(path_.rfind('/') + 1); }
  // Whether the entry `name` of `parent` is this directory.
  bool IsAt(const os::files::Fd& parent, const std::string& name) const;

  std::string path_;
  os::files::Fd parent_, self_;
};

// Lists the entries of an open directory, sorted by name. `path` names it in errors.
Result<std::vector<Files::Entry>> ListOpenDirectory(const os::files::Fd& directory, const std::string& path);

}  // namespace howdah::storage
