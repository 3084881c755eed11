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
// Returns the regular files that were created or changed after `since`. Ignores caches: `__pycache__`, and entries with
// a name that begins with a dot. Visits at most 10,000 entries.
LeftFiles FindLeftFiles(const std::string& directory, Instant since);

// The time at which a file or directory was created; nullopt if the file system does not record it.
std::optional<Instant> CreationTime(const std::string& path);

}  // namespace howdah::os::files
