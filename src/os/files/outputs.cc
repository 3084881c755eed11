#include "howdah/os/files/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "howdah/os/files/directories_below.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/glob.h"

namespace howdah::os::files {
namespace {

constexpr size_t kMostEntries = 10'000;

enum class Next { kDescend, kSkip, kStop };

// Calls visit(path, info) for each entry below the directory, without following links. Directories come before their
// entries. Returns false if a visit has stopped the walk.
using Visit = std::function<Next(const std::string& path, const struct stat& info)>;
bool Walk(const std::string& root, const std::string& directory, const Visit& visit) {
  const auto names = ListDirectory(directory.empty() ? root : root + "/" + directory);
  if (!names.ok()) return true;  // the directory has vanished or cannot be read
  for (const std::string& name : *names) {
    const std::string path = directory.empty() ? name : directory + "/" + name;
    struct stat info {};
    if (::lstat((root + "/" + path).c_str(), &info) != 0) continue;
    const Next next = visit(path, info);
    if (next == Next::kStop) return false;
    if (next == Next::kDescend && S_ISDIR(info.st_mode) && !Walk(root, path, visit)) return false;
  }
  return true;
}

bool MatchesAny(const std::vector<std::string>& patterns, const std::string& path) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return MatchesGlob(pattern, path); });
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace

Result<std::vector<std::string>> FindOutputs(const std::string& directory, const std::vector<std::string>& patterns) {
  std::vector<std::string> found;
  if (const auto names = ListDirectory(directory, 1); !names.ok()) return names.error();
  std::string matched;  // the directory below which every file matches; "" if there is none
  Walk(directory, "", [&](const std::string& path, const struct stat& info) {
    const bool below = !matched.empty() && path.starts_with(matched + "/");
    if (!below) matched.clear();
    const bool matches = below || MatchesAny(patterns, path);
    if (matches && !below && S_ISDIR(info.st_mode)) matched = path;
    if (matches && S_ISREG(info.st_mode)) found.push_back(path);
    return Next::kDescend;
  });
  std::sort(found.begin(), found.end());
  return found;
}

Status MoveOutputs(const std::string& from, const std::vector<std::string>& files, const std::string& to) {
  HOWDAH_TRY_STATUS(MakeDirectories(to));
  for (const std::string& file : files) {
    const std::string directory = DirectoryOf(file), name = file.substr(directory.empty() ? 0 : directory.size() + 1);
    HOWDAH_TRY(const Fd source_directory, MakeDirectoriesBelow(from, directory));
    HOWDAH_TRY(const Fd target_directory, MakeDirectoriesBelow(to, directory));
    if (::renameat(source_directory.get(), name.c_str(), target_directory.get(), name.c_str()) != 0) {
      if (errno == ENOENT) continue;  // the file was removed after it was found
      return SystemError("moving " + from + "/" + file + " to " + to);
    }
  }
  return {};
}

LeftFiles FindLeftFiles(const std::string& directory, Instant since) {
  LeftFiles left;
  size_t entries = 0;
  std::vector<std::pair<int64_t, std::string>> largest;
  Walk(directory, "", [&](const std::string& path, const struct stat& info) {
    if (++entries > kMostEntries) return Next::kStop;
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.front() == '.' || name == "__pycache__") return Next::kSkip;
    if (!S_ISREG(info.st_mode)) return Next::kDescend;
    if (ToInstant(info.st_ctim) <= since) return Next::kSkip;
    ++left.count;
    left.bytes += info.st_size;
    if (path.size() > kLongestLeftName) return Next::kSkip;
    largest.emplace_back(-info.st_size, path);
    std::sort(largest.begin(), largest.end());
    if (largest.size() > kMostLeftNames) largest.pop_back();
    return Next::kSkip;
  });
  for (auto& [size, path] : largest) left.names.push_back(std::move(path));
  return left;
}

std::optional<Instant> CreationTime(const std::string& path) {
  struct statx info {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &info) != 0) return std::nullopt;
  if ((info.stx_mask & STATX_BTIME) == 0) return std::nullopt;
  return ToInstant({info.stx_btime.tv_sec, info.stx_btime.tv_nsec});
}

}  // namespace howdah::os::files
