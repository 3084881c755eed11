// The files that a program leaves in its working directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::os::files {

// Returns the sorted paths, relative to the directory, of all regular files that match a pattern (glob.h). A pattern
// that matches a directory selects all files below it; a slash at the end of the pattern has no meaning. Follows no
// links. Files that vanish during the call are left out.
Result<std::vector<std::string>> FindOutputs(const std::string& directory, const std::vector<std::string>& patterns);

// Whether FindOutputs selects the file with this path for these patterns.
bool IsOutput(const std::vector<std::string>& patterns, const std::string& path);

// Moves the given files of `from` to the same paths below `to`, which is created if absent. Both directories must be on
// one file system. Existing files at the target paths are replaced. Follows no links below the two directories.
Status MoveOutputs(const std::string& from, const std::vector<std::string>& files, const std::string& to);

struct LeftFiles {
  int64_t count = 0, bytes = 0;
  std::vector<std::string> names;  // paths of the largest files, relative to the directory
};
// The limits of LeftFiles::names: the number of names, and the bytes of each name. Files with a longer name are only
// counted.
constexpr size_t kMostLeftNames = 3, kLongestLeftName = 200;
// Returns the regular files whose content was created or changed after `since`, except those that `kept` selects
// (IsOutput). Ignores empty files, caches (`__pycache__`, and entries with a name that begins with a dot), and copies
// of files that the directory contained before; recognises copies of files of at most 1 MiB. Visits at most 10,000
// entries.
LeftFiles FindLeftFiles(const std::string& directory, Instant since, const std::vector<std::string>& kept);

// The time at which a file or directory was created; nullopt if the file system does not record it.
std::optional<Instant> CreationTime(const std::string& path);

}  // namespace howdah::os::files
