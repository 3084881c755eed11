// The memory cgroup of this process, as far as it is visible to this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace howdah::os::process {

struct Cgroup {
  std::string memory_directory;            // memory cgroup of this process; empty if it is not visible
  std::vector<std::string> memory_limits;  // files with one limit each, from this cgroup up to the root
};
Cgroup OwnCgroup();

// Parses /proc/self/cgroup. `mount` is the directory where cgroups are mounted. In a container the path may be that of
// the host, and only the mount itself is visible, so callers must skip files that do not exist.
Cgroup ParseCgroup(const std::string& text, const std::string& mount);

}  // namespace howdah::os::process
