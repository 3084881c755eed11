#include "howdah/os/files/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "howdah/os/files/files.h"
#include "howdah/os/files/glob.h"

namespace howdah::os::files {
namespace {

constexpr size_t kMostEntries = 10'000;
constexpr size_t kNamed = 3;

// Calls visit(path, info) for each entry below the directory, without following links. Descends into a directory if
// visit returns true. Directories come before their entries.
using Visit = std::function<bool(const std::string& path, const struct stat& info)>;
void Walk(const std::string& root, const std::string& directory, const Visit& visit) {
  const auto names = ListDirectory(directory.empty() ? root : root + "/" + directory);
  if (!names.ok()) return;  // it has vanished, or may not be read
  for (const std::string& name : *names) {
    const std::string path = directory.empty() ? name : directory + "/" + name;
    struct stat info {};
    if (::lstat((root + "/" + path).c_str(), &info) != 0) continue;
    if (visit(path, info) && S_ISDIR(info.st_mode)) Walk(root, path, visit);
  }
}

bool MatchesAny(const std::vector<std::string>& patterns, const std::string& path) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return MatchesGlob(pattern, path); });
}

Instant ChangeTime(const struct stat& info) {
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::seconds(info.st_ctim.tv_sec) +
                                                      std::chrono::nanoseconds(info.st_ctim.tv_nsec)));
}

// Opens the directory at a relative path below `root`, one component after the other, and creates missing ones.
Result<Fd> OpenBelow(int root, const std::string& path, const std::string& shown) {
  Fd at(::openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (size_t begin = 0; at.valid() && begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    begin = end + 1;
    if (::mkdirat(at.get(), name.c_str(), 0755) != 0 && errno != EEXIST) return SystemError("creating " + shown);
    at = Fd(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!at.valid()) return SystemError("opening " + shown);
  return at;
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
    return true;
  });
  std::sort(found.begin(), found.end());
  return found;
}

Status MoveOutputs(const std::string& from, const std::vector<std::string>& files, const std::string& to) {
  HOWDAH_TRY_STATUS(MakeDirectories(to));
  const Fd source(::open(from.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!source.valid()) return SystemError("opening " + from);
  const Fd target(::open(to.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!target.valid()) return SystemError("opening " + to);
  for (const std::string& file : files) {
    const std::string directory = DirectoryOf(file), name = file.substr(directory.empty() ? 0 : directory.size() + 1);
    HOWDAH_TRY(const Fd source_directory, OpenBelow(source.get(), directory, from + "/" + directory));
    HOWDAH_TRY(const Fd target_directory, OpenBelow(target.get(), directory, to + "/" + directory));
    if (::renameat(source_directory.get(), name.c_str(), target_directory.get(), name.c_str()) != 0) {
      if (errno == ENOENT) continue;  // removed after it was found
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
    if (++entries > kMostEntries) return false;
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.front() == '.' || name == "__pycache__") return false;
    if (!S_ISREG(info.st_mode)) return true;
    if (ChangeTime(info) <= since) return false;
    ++left.count;
    left.bytes += info.st_size;
    largest.emplace_back(-info.st_size, path);
    std::sort(largest.begin(), largest.end());
    if (largest.size() > kNamed) largest.pop_back();
    return false;
  });
  for (auto& [size, path] : largest) left.names.push_back(std::move(path));
  return left;
}

std::optional<Instant> CreationTime(const std::string& path) {
  struct statx info {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &info) != 0) return std::nullopt;
  if ((info.stx_mask & STATX_BTIME) == 0) return std::nullopt;
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::seconds(info.stx_btime.tv_sec) +
                                                      std::chrono::nanoseconds(info.stx_btime.tv_nsec)));
}

}  // namespace howdah::os::files
