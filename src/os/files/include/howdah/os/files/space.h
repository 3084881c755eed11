// The space of a file system.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::os::files {

struct Space {
  std::string mount_point, type;  // "/data", "ext4"
  int64_t size = 0, free = 0;     // in bytes; free: the space that programs without privileges can use
  int64_t files_free = -1;        // how many files can still be made; -1: no limit is known
};
// Returns the file system of the nearest existing directory of a path.
Result<Space> SpaceAt(const std::string& path);

// Formats "/data (ext4), 1.8 TiB, 0 B free", and the number of files that can be made if it is 0.
std::string ToText(const Space& space);

// Returns the mount point and type of an absolute path without links, according to the text of /proc/self/mountinfo.
Space MountOf(std::string_view mountinfo, std::string_view path);

}  // namespace howdah::os::files
