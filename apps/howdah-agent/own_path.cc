#include "own_path.h"

#include <unistd.h>

namespace howdah::agent {

std::string OwnPath() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : "howdah-agent";
}

}  // namespace howdah::agent
