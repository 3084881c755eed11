// The memory cgroup of this process, as far as this process can see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace howdah::os::process {

struct Cgroup {
  std::string memory_directory;            // of this process; empty: not visible
  std::vector<std::string> memory_limits;  // files with one limit each, from this cgroup up to the root
};
Cgroup OwnCgroup();

// Parses /proc/self/cgroup. `mount`: the directory where cgroups are mounted. In a container the path may be the
// host's, and only the mount itself is visible: callers skip files that do not exist.
Cgroup ParseCgroup(const std::string& text, const std::string& mount);

}  // namespace howdah::os::process
