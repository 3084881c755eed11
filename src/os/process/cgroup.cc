#include "cgroup.h"

#include <unistd.h>

#include <sstream>

#include "proc.h"

namespace howdah::os::process {

Cgroup ParseCgroup(const std::string& text, const std::string& mount) {
  std::istringstream lines(text);
  std::string unified, memory;
  bool has_memory = false;
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") unified = path;
    if (controllers.find(",memory,") != std::string::npos) {
      memory = path;
      has_memory = true;
    }
  }
  const std::string root = has_memory ? mount + "/memory" : mount;
  const std::string file = has_memory ? "/memory.limit_in_bytes" : "/memory.max";
  std::string path = has_memory ? memory : unified;
  if (path == "/") path.clear();
  Cgroup cgroup{root + path, {}};
  for (;;) {
    cgroup.memory_limits.push_back(root + path + file);
    if (path.empty()) return cgroup;
    path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
  }
}

Cgroup OwnCgroup() {
  Cgroup cgroup = ParseCgroup(ReadProcFile("/proc/self/cgroup"), "/sys/fs/cgroup");
  if (::access(cgroup.memory_directory.c_str(), F_OK) != 0) {
    const std::string& root_limit = cgroup.memory_limits.back();
    cgroup.memory_directory = root_limit.substr(0, root_limit.find_last_of('/'));
  }
  return cgroup;
}

}  // namespace howdah::os::process
