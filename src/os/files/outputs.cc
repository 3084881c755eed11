#include "howdah/os/files/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "howdah/os/files/directories_below.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/glob.h"
#include "howdah/os/files/open_regular.h"

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

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

// The files that a directory contained before the program ran.
class Originals {
 public:
  explicit Originals(const std::string& root) : root_(root) {}

  void Add(const std::string& path, int64_t size) {
    if (size <= kLargestCompared) by_size_[size].push_back(path);
  }
  // Whether the file has the content of an original. Reads a limited number of bytes in all calls together.
  bool HasCopy(const std::string& path, int64_t size) {
    const auto found = by_size_.find(size);
    if (found == by_size_.end()) return false;
    const auto content = Read(path, size);
    if (!content) return false;
    return std::any_of(found->second.begin(), found->second.end(),
                       [&](const std::string& original) { return Read(original, size) == content; });
  }

 private:
  static constexpr int64_t kLargestCompared = int64_t{1} << 20, kMostRead = int64_t{32} << 20;

  std::optional<std::string> Read(const std::string& path, int64_t size) {
    if (size > kMostRead - read_) return std::nullopt;
    read_ += size;
    auto content = ReadRegular(root_ + "/" + path, static_cast<size_t>(size));
    return content.ok() ? std::optional(std::move(*content)) : std::nullopt;
  }

  const std::string& root_;
  std::map<int64_t, std::vector<std::string>> by_size_;
  int64_t read_ = 0;
};

bool IsCreatedAfter(const std::string& path, Instant since) {
  const auto created = CreationTime(path);
  return created && *created > since;
}

// Whether the content of the file is newer. Other changes, such as those of its name or its permissions, do not count.
bool IsNewer(const std::string& path, const struct stat& info, Instant since) {
  return ToInstant(info.st_mtim) > since || IsCreatedAfter(path, since);
}

// The new files of a directory that match no pattern; see FindLeftFiles.
struct NewFiles {
  std::vector<std::pair<int64_t, std::string>> files;  // with the negative size, so that the largest come first
  int64_t bytes = 0;
  bool complete = true;  // false: the directory has too many entries

  bool FitInto(int64_t limit) const { return complete && bytes <= limit; }
};

NewFiles FindNewFiles(const std::string& directory, Instant since, const std::vector<std::string>& patterns) {
  Originals originals(directory);
  NewFiles found;
  size_t entries = 0;
  found.complete = Walk(directory, "", [&](const std::string& path, const struct stat& info) {
    if (++entries > kMostEntries) return Next::kStop;
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.front() == '.' || name == "__pycache__") return Next::kSkip;
    if (!S_ISREG(info.st_mode)) return Next::kDescend;
    if (!IsNewer(directory + "/" + path, info, since)) {
      originals.Add(path, info.st_size);
    } else if (info.st_size > 0 && !IsOutput(patterns, path)) {
      found.files.emplace_back(-info.st_size, path);
    }
    return Next::kSkip;
  });
  std::sort(found.files.begin(), found.files.end());
  std::erase_if(found.files, [&](const auto& file) { return originals.HasCopy(file.second, -file.first); });
  for (const auto& [size, path] : found.files) found.bytes -= size;
  return found;
}

// Adds the new files beside the directory; see FindLeftFiles.
void AddFilesBeside(const std::string& directory, Instant since,
                    const std::function<bool(const std::string& name)>& is_known, NewFiles& found) {
  size_t entries = 0;
  Walk(directory, "..", [&](const std::string& path, const struct stat& info) {
    if (++entries > kMostEntries) return Next::kStop;
    const size_t slash = path.rfind('/');
    const std::string name = path.substr(slash + 1), full = directory + "/" + path;
    if (name.front() == '.' || name == "__pycache__") return Next::kSkip;
    const bool is_beside = slash == std::string_view("..").size();
    if (is_beside && (is_known(name) || !IsCreatedAfter(full, since))) return Next::kSkip;
    if (!S_ISREG(info.st_mode)) return Next::kDescend;
    if (info.st_size > 0 && IsNewer(full, info, since)) {
      found.files.emplace_back(-info.st_size, path);
      found.bytes += info.st_size;
    }
    return Next::kSkip;
  });
  std::sort(found.files.begin(), found.files.end());
}

}  // namespace

bool IsOutput(const std::vector<std::string>& patterns, const std::string& path) {
  for (size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (std::any_of(patterns.begin(), patterns.end(),
                    [&](const std::string& pattern) { return MatchesGlob(pattern, part); })) {
      return true;
    }
    if (end == std::string::npos) return false;
  }
}

Result<std::vector<std::string>> FindOutputs(const std::string& directory, const OutputRules& rules,
                                             std::optional<Instant> since) {
  std::vector<std::string> found;
  if (const auto names = ListDirectory(directory, 1); !names.ok()) return names.error();
  Walk(directory, "", [&](const std::string& path, const struct stat& info) {
    if (S_ISREG(info.st_mode) && IsOutput(rules.patterns, path)) found.push_back(path);
    return Next::kDescend;
  });
  if (rules.new_files_limit > 0 && since) {
    NewFiles others = FindNewFiles(directory, *since, rules.patterns);
    if (others.FitInto(rules.new_files_limit)) {
      for (auto& [size, path] : others.files) found.push_back(std::move(path));
    }
  }
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

LeftFiles FindLeftFiles(const std::string& directory, Instant since, const OutputRules& rules,
                        const std::function<bool(const std::string& name)>& is_known_beside) {
  NewFiles others = FindNewFiles(directory, since, rules.patterns);
  if (others.FitInto(rules.new_files_limit)) others = {};
  if (is_known_beside != nullptr) AddFilesBeside(directory, since, is_known_beside, others);
  LeftFiles left{.count = static_cast<int64_t>(others.files.size()), .bytes = others.bytes};
  for (auto& [size, path] : others.files) {
    if (left.names.size() < kMostLeftNames && path.size() <= kLongestLeftName) left.names.push_back(std::move(path));
  }
  return left;
}

std::string ProgressDirectory(const std::string& work_dir) { return work_dir + ".progress"; }

std::optional<Instant> FilledAt(const std::string& work_dir) { return CreationTime(ProgressDirectory(work_dir)); }

std::optional<Instant> CreationTime(const std::string& path) {
  struct statx info {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &info) != 0) return std::nullopt;
  if ((info.stx_mask & STATX_BTIME) == 0) return std::nullopt;
  return ToInstant({info.stx_btime.tv_sec, info.stx_btime.tv_nsec});
}

}  // namespace howdah::os::files
