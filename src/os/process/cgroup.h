// The memory cgroup this process is in, as far as this process can see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace howdah::os::process {

struct Cgroup {
  std::string memory_directory;            // its own; empty: not visible
  std::vector<std::string> memory_limits;  // files with a limit each, from its own up to the root
};
Cgroup OwnCgroup();

// From the text of /proc/self/cgroup and the directory where cgroups are mounted. In a container the path may be the
// host's, of which only the mount itself can be seen; files that are not there are for the caller to skip.
Cgroup ParseCgroup(const std::string& text, const std::string& mount);

}  // namespace howdah::os::process
