// Accounts and groups of this machine, as the program `id` reports them: howdah-agent is static and cannot load the
// machine's name services.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::backend::yarn::am {

// Returns the groups of a user, as Hadoop's ShellBasedUnixGroupsMapping does. Returns an error if the user has no
// account here. Blocks for 5 s at most.
Result<std::vector<std::string>> LookUpGroups(const std::string& user);

// Returns a warning if this process does not run under the account of the job's owner, otherwise "". Then the
// containers of different users share an account, and the kernel does not separate them. Blocks for 5 s at most.
std::string SharedAccountWarning(const std::string& owner);

}  // namespace howdah::backend::yarn::am
