#include "howdah/storage/files.h"

namespace howdah::storage {
namespace {

class DirectoryByPath final : public Files::Directory {
 public:
  DirectoryByPath(Files& files, std::string path) : files_(files), path_(std::move(path)) {}

  Result<std::vector<Files::Entry>> List() override { return files_.List(path_); }
  Status CheckOwner(const std::string&) override { return {}; }
  Status Rename(const std::string& from, const std::string& to) override {
    return files_.Rename(path_ + "/" + from, path_ + "/" + to);
  }
  Status DeleteTemporaries() override {
    HOWDAH_TRY(const auto entries, List());
    for (const Files::Entry& entry : entries) {
      if (entry.name.starts_with('.')) HOWDAH_TRY_STATUS(files_.Delete(path_ + "/" + entry.name));
    }
    return {};
  }
  Status MoveTo(const std::string& top, const std::string& below) override {
    const std::string parent = top + "/" + below;
    HOWDAH_TRY_STATUS(files_.MakeDirectories(parent));
    return files_.Rename(path_, parent + path_.substr(path_.rfind('/')));
  }

 private:
  Files& files_;
  const std::string path_;
};

}  // namespace

Result<std::unique_ptr<Files::Directory>> Files::OpenDirectory(const std::string& path) {
  return std::unique_ptr<Directory>(std::make_unique<DirectoryByPath>(*this, path));
}

}  // namespace howdah::storage
