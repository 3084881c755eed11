// Functions on paths, for both file systems.
#pragma once

#include <string>

#include "howdah/base/result.h"

namespace howdah::hadoop::hdfs {

// Returns the absolute path without "//", "." and trailing slash. Returns kUsage if the path is relative or contains
// "..": HDFS does not support "..".
Result<std::string> CleanPath(const std::string& path);
// "/a/b" → "b"; "/" → "".
std::string LastPart(const std::string& path);
// "/a/b" → "/a"; "/a" → "/".
std::string ParentOf(const std::string& path);

}  // namespace howdah::hadoop::hdfs
