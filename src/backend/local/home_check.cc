#include "home_check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>

#include "howdah/os/files/fd.h"

namespace howdah::backend::local {
namespace {

// In a user namespace, the files of all users outside the namespace seem to belong to the user 65534.
constexpr uid_t kRoot = 0, kOutsideNamespace = 65534;
constexpr char kOtherHome[] = "or choose another directory with HOWDAH_HOME";

Error Refused(const std::string& problem) {
  return {ErrorCode::kUnavailable, "using the directory for jobs: " + problem};
}

Status CheckPrivate(const std::string& path, bool must_exist) {
  const os::files::Fd directory(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!directory.valid() && errno == ENOENT && !must_exist) return {};
  struct stat facts {};
  if (!directory.valid() || fstat(directory.get(), &facts) != 0) return os::files::SystemError("opening " + path);
  const std::string problem = PrivacyProblem(facts, geteuid(), path);
  return problem.empty() ? Status() : Refused(problem);
}

// Checks each directory and link on the way to the directory `path`. Checks `path` itself only if it is a link.
Status CheckPathTo(const std::string& path) {
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string prefix = path.substr(0, end);
    struct stat facts {};
    if (lstat(prefix.c_str(), &facts) != 0) return os::files::SystemError("opening " + prefix);
    if (end == std::string::npos && !S_ISLNK(facts.st_mode)) return {};
    const std::string problem = ParentProblem(facts, geteuid(), prefix);
    if (!problem.empty()) return Refused(problem);
  }
  return {};
}

}  // namespace

std::string PrivacyProblem(const struct stat& facts, uid_t user, const std::string& path) {
  if (!S_ISDIR(facts.st_mode)) return path + " is not a directory; move it away, " + kOtherHome;
  if (facts.st_uid != user) {
    return path + " belongs to user " + std::to_string(facts.st_uid) + ", and you are user " + std::to_string(user) +
           ": its owner could run programs as you; choose another directory with HOWDAH_HOME";
  }
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return "other users may write to " + path + ", so they could run programs as you; `chmod go-w '" + path + "'`, " +
           kOtherHome;
  }
  return "";
}

std::string ParentProblem(const struct stat& facts, uid_t user, const std::string& path) {
  if (facts.st_uid != user && facts.st_uid != kRoot && facts.st_uid != kOutsideNamespace) {
    return path + " belongs to user " + std::to_string(facts.st_uid) +
           ", who could replace it by another directory; choose another directory with HOWDAH_HOME";
  }
  if (S_ISDIR(facts.st_mode) && (facts.st_mode & S_IWOTH) != 0 && (facts.st_mode & S_ISVTX) == 0) {
    return "all users may rename entries of " + path + "; `chmod +t '" + path + "'`, " + kOtherHome;
  }
  return "";
}

Status CheckHome(const Layout& layout) {
  const std::unique_ptr<char, decltype(&free)> resolved(realpath(layout.home().c_str(), nullptr), free);
  if (!resolved && errno == ENOENT) return {};
  if (!resolved) return os::files::SystemError("opening " + layout.home());
  const std::string home = resolved.get();
  HOWDAH_TRY_STATUS(CheckPathTo(layout.home()));
  HOWDAH_TRY_STATUS(CheckPathTo(home));  // differs from layout.home() if that path contains links
  HOWDAH_TRY_STATUS(CheckPrivate(home, /*must_exist=*/false));
  HOWDAH_TRY_STATUS(CheckPrivate(layout.jobs(), /*must_exist=*/false));
  return CheckPrivate(layout.leases(), /*must_exist=*/false);
}

Status CheckJobDirectory(const std::string& directory) {
  HOWDAH_TRY_STATUS(CheckHome(Layout(directory + "/../..")));
  return CheckPrivate(directory, /*must_exist=*/true);
}

}  // namespace howdah::backend::local
