// Checks that no other user can change the files below HOWDAH_HOME, because these files contain the commands that the
// AM runs. The rules are those of sshd's StrictModes.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "howdah/backend/local/layout.h"
#include "howdah/base/result.h"

namespace howdah::backend::local {

// Checks HOWDAH_HOME and the directories above it. Succeeds if HOWDAH_HOME does not exist.
Status CheckHome(const Layout& layout);

// For agents: checks HOWDAH_HOME and the directory of one job, which must exist.
Status CheckJobDirectory(const std::string& directory);

// Returns why a user other than `user` could change the content of the directory `path`, or "" if none could. facts:
// the directory's owner and mode. Pure.
std::string PrivacyProblem(const struct stat& facts, uid_t user, const std::string& path);
// Returns why a user other than `user` could replace an entry of the directory `path`, or "" if none could. Directories
// of the system and of `user` are trusted unless everybody can write to them. Pure.
std::string ParentProblem(const struct stat& facts, uid_t user, const std::string& path);

}  // namespace howdah::backend::local
