// The files that a program leaves in its working directory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/output_rules.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::os::files {

// Returns the sorted paths, relative to the directory, of all regular files that the rules keep. Files are new if their
// content was created or changed after `since`; nullopt means that no file counts as new. Follows no links. Files that
// vanish during the call are left out.
Result<std::vector<std::string>> FindOutputs(const std::string& directory, const OutputRules& rules,
                                             std::optional<Instant> since);

// Whether a file with this path matches one of the patterns.
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
// Returns the regular files whose content was created or changed after `since`, except those that the rules keep.
// Ignores empty files, caches (`__pycache__`, and entries with a name that begins with a dot), and copies of files that
// the directory contained before; recognises copies of files of at most 1 MiB. Visits at most 10,000 entries. If there
// are more, new_files_limit keeps none of the new files.
//
// If is_known_beside is not null, also returns the new files in entries beside the directory that were created after
// `since`, with names such as "../data/x". It is called with the name of each entry, and returns true for entries that
// do not count. The rules keep none of these files.
LeftFiles FindLeftFiles(const std::string& directory, Instant since, const OutputRules& rules,
                        const std::function<bool(const std::string& name)>& is_known_beside = nullptr);

// Returns the directory for the progress files of a task. It is beside the task's working directory, because only the
// job writes into the working directory.
std::string ProgressDirectory(const std::string& work_dir);

// The time after which files in a working directory are new: the creation of its progress directory. This directory is
// created after the working directory has been filled, and before the first process starts. Returns nullopt if the task
// has not started, or if the file system does not record creation times.
std::optional<Instant> FilledAt(const std::string& work_dir);

// The time at which a file or directory was created; nullopt if the file system does not record it.
std::optional<Instant> CreationTime(const std::string& path);

}  // namespace howdah::os::files
