// For tests only: runs scripts and waits for conditions.
#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "howdah/os/files/testing.h"
#include "howdah/os/process/spawn.h"

namespace howdah::os::process {

// Waits until `condition` holds. Checks it whenever `fd` is readable, and at least every 2 ms.
inline bool Eventually(const std::function<bool()>& condition, std::chrono::seconds limit = std::chrono::seconds(30),
                       int fd = -1) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    pollfd wanted{fd, POLLIN, 0};
    ::poll(&wanted, 1, 2);
  }
  return true;
}

// The PATH for child processes in tests.
inline std::string TestPath() { return "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"; }

// Returns a request to run a script with bash in a directory.
inline SpawnRequest Bash(const std::string& script, const std::string& directory) {
  SpawnRequest request;
  request.program = "/bin/bash";
  request.argv = {"bash", "-c", script};
  request.environment = {TestPath()};
  request.directory = directory;
  return request;
}

}  // namespace howdah::os::process
