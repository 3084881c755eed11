// The memory cgroup of this process, as far as this process can see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace howdah::os::process {

struct Cgroup {
  std::string memory_directory;            // memory cgroup of this process; empty if it is not visible
  std::vector<std::string> memory_limits;  // one file per limit: of this cgroup and all its ancestors
};
Cgroup OwnCgroup();

// Parses the content of /proc/self/cgroup. `mount` is the directory where cgroups are mounted. In a container, the
// parsed path may be the path on the host, although only the mount itself is visible. So callers must skip files that
// do not exist.
Cgroup ParseCgroup(const std::string& text, const std::string& mount);

}  // namespace howdah::os::process
