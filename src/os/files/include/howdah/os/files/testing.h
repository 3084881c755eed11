// For tests only: a scratch directory, and the content of files.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "howdah/os/files/files.h"

namespace howdah::os::files {

// A directory that is removed at the end of the test.
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

// The permission bits of a file, without following a link, or 0 if it does not exist.
inline mode_t ModeOf(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

// Writes a file and the directories above it.
inline void WriteWithParents(const std::string& path, const std::string& text) {
  ASSERT_TRUE(MakeDirectories(path.substr(0, path.rfind('/'))).ok());
  ASSERT_TRUE(WriteFileAtomically(path, text).ok());
}

// Runs a bash script in a directory and returns its exit code. (os/process cannot be used here: it is a layer above
// this library.)
inline int Shell(const Scratch& scratch, const std::string& script) {
  const std::string file = scratch.path() + ".sh";
  EXPECT_TRUE(WriteFileAtomically(file, script).ok());
  const int status = std::system(("cd '" + scratch.path() + "' && bash '" + file + "'").c_str());
  ::unlink(file.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace howdah::os::files
