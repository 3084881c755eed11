#include "howdah/os/files/temporary_directory.h"

#include <cstdlib>
#include <utility>

#include "howdah/os/files/files.h"

namespace howdah::os::files {

Result<TemporaryDirectory> TemporaryDirectory::Make(const std::string& name) {
  const char* const folder = std::getenv("TMPDIR");
  const bool is_set = folder != nullptr && *folder != '\0';
  std::string path = std::string(is_set ? folder : "/tmp") + "/howdah-" + name + ".XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return SystemError("creating the temporary directory " + path);
  return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, "")) {}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty()) (void)RemoveTree(path_).ok();
}

}  // namespace howdah::os::files
