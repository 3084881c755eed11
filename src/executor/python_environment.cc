#include "python_environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "howdah/os/files/files.h"

namespace howdah::executor {
namespace {

using diagnosis::BrokenPython;

constexpr size_t kNamesShown = 5;
constexpr int kMostLinks = 40;  // the kernel's limit for links in a path

// Follows a chain of symbolic links, and returns the path at its end.
std::string EndOfLinks(const std::string& file) {
  std::filesystem::path at = file;
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(at, error); ++i) {
    at = (at.parent_path() / std::filesystem::read_symlink(at, error)).lexically_normal();
  }
  return at.string();
}

}  // namespace

std::optional<BrokenPython> FindBrokenPython(const std::string& directory) {
  struct stat info {};
  if (directory.empty() || ::stat(directory.c_str(), &info) != 0) return std::nullopt;
  if (::stat((directory + "/bin").c_str(), &info) != 0) {
    BrokenPython broken{BrokenPython::Fault::kNoBin, "bin", "", {}};
    if (auto names = os::files::ListDirectory(directory, kNamesShown)) broken.top = std::move(*names);
    return broken;
  }
  for (const std::string file : {"bin/python", "bin/python3"}) {
    const std::string path = directory + "/" + file;
    if (::lstat(path.c_str(), &info) != 0) continue;
    if (::stat(path.c_str(), &info) != 0) return BrokenPython{BrokenPython::Fault::kGone, file, EndOfLinks(path), {}};
    if (::access(path.c_str(), X_OK) != 0) return BrokenPython{BrokenPython::Fault::kNotExecutable, file, "", {}};
  }
  return std::nullopt;
}

}  // namespace howdah::executor
