// Path functions of both file systems.
#pragma once

#include <string>

#include "howdah/base/result.h"

namespace howdah::hadoop::hdfs {

// Returns the absolute path without "//", "." and trailing slash; kUsage: relative, or with "..", which HDFS does not
// support.
Result<std::string> CleanPath(const std::string& path);
// "/a/b" → "b"; "/" → "".
std::string LastPart(const std::string& path);
// "/a/b" → "/a"; "/a" → "/".
std::string ParentOf(const std::string& path);

}  // namespace howdah::hadoop::hdfs
