// For tests only: a scratch directory, running a script, waiting for something to become true.
// true.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "howdah/process/files.h"
#include "howdah/process/spawn.h"

namespace howdah::process {

// Waits until `condition` holds, looking again whenever `fd` is readable and at least every 2 ms.
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

// A directory that is gone at the end of the test.
class Scratch {
 public:
  Scratch() {
    std::string path =
        (std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : std::string("/tmp")) + "/howdah.XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) std::abort();
    path_ = path;
  }
  ~Scratch() { EXPECT_TRUE(RemoveTree(path_).ok()); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string Content(const std::string& path) {
  auto bytes = ReadFile(path);
  return bytes ? *bytes : "(" + bytes.error().message + ")";
}

// The PATH of the tests' children.
inline std::string TestPath() { return "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"; }

// A request to run a text under bash in a directory.
inline SpawnRequest Bash(const std::string& script, const std::string& directory) {
  SpawnRequest request;
  request.program = "/bin/bash";
  request.argv = {"bash", "-c", script};
  request.environment = {TestPath()};
  request.directory = directory;
  return request;
}

}  // namespace howdah::process
