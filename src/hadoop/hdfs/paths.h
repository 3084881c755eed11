// Paths, as both file systems take them.
#pragma once

#include <string>

#include "howdah/base/result.h"

namespace howdah::hadoop::hdfs {

// Absolute, without "//", "." and a slash at the end; kUsage: it is relative, or has "..", which HDFS does not know.
Result<std::string> CleanPath(const std::string& path);
// "/a/b" → "b"; "/" → "".
std::string LastPart(const std::string& path);
// "/a/b" → "/a"; "/a" → "/".
std::string ParentOf(const std::string& path);

}  // namespace howdah::hadoop::hdfs
