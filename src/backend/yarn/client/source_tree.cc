#include "source_tree.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "howdah/os/files/files.h"

namespace howdah::backend::yarn::client {
namespace {

Status Add(const std::string& root, const std::string& path, std::vector<TreeEntry>& entries) {
  const std::string full = path.empty() ? root : root + "/" + path;
  struct stat facts {};
  if ((path.empty() ? stat(full.c_str(), &facts) : lstat(full.c_str(), &facts)) != 0) {
    return os::files::SystemError("reading " + full);
  }
  TreeEntry entry{TreeEntry::Kind::kFile, path, facts.st_mode & 07777, facts.st_size, ""};
  if (S_ISLNK(facts.st_mode)) {
    char target[PATH_MAX];
    const ssize_t size = readlink(full.c_str(), target, sizeof target);
    if (size < 0) return os::files::SystemError("reading the link " + full);
    entry.kind = TreeEntry::Kind::kLink;
    entry.target.assign(target, static_cast<size_t>(size));
  } else if (S_ISDIR(facts.st_mode)) {
    entry.kind = TreeEntry::Kind::kDirectory;
  } else if (!S_ISREG(facts.st_mode)) {
    return {};
  }
  const bool descend = entry.kind == TreeEntry::Kind::kDirectory;
  entries.push_back(std::move(entry));
  if (!descend) return {};
  HOWDAH_TRY(const auto names, os::files::ListDirectory(full));
  for (const std::string& name : names) {
    const std::string below = path.empty() ? name : path + "/" + name;
    HOWDAH_TRY_STATUS(Add(root, below, entries));
  }
  return {};
}

}  // namespace

Result<std::vector<TreeEntry>> ListTree(const std::string& root) {
  std::vector<TreeEntry> entries;
  HOWDAH_TRY_STATUS(Add(root, "", entries));
  return entries;
}

bool LeavesTree(const std::string& path, const std::string& target) {
  if (target.starts_with('/')) return true;
  int depth = static_cast<int>(std::count(path.begin(), path.end(), '/'));
  for (size_t begin = 0; begin <= target.size();) {
    const size_t end = std::min(target.find('/', begin), target.size());
    const std::string_view part = std::string_view(target).substr(begin, end - begin);
    begin = end + 1;
    if (part == "..") --depth;
    if (!part.empty() && part != "." && part != "..") ++depth;
    if (depth < 0) return true;
  }
  return false;
}

}  // namespace howdah::backend::yarn::client
