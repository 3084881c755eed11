// Opens directories below a directory into which another user may have put symbolic links.
#pragma once

#include <sys/types.h>

#include <string>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::files {

struct NewDirectories {
  mode_t mode = 0755;
  // Whether `mode` applies regardless of the umask; the set-group-id bit of the parent is then inherited.
  bool exact = false;
};

// Opens the directory `below`, a path relative to the directory `top`, such as "a/b"; "" and "." are `top` itself.
// Creates missing directories, except `top`. `top` may be a symbolic link. A link below it is not followed but is an
// error, which names the part of the path that is not a directory. Thread-safe. `below` must not contain "..".
Result<Fd> MakeDirectoriesBelow(const std::string& top, const std::string& below, const NewDirectories& made = {});

}  // namespace howdah::os::files
