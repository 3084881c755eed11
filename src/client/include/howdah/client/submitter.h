// The user and the machine of this process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace howdah::client {

// The value of an environment variable, or nullopt if it is not set.
std::optional<std::string> Variable(const std::string& name);

using VariableLookup = std::function<std::optional<std::string>(const std::string& name)>;
// Returns the name of the user with this id, as Hadoop's clients determine it. Looks the id up in `passwd_file`, then
// in the name service of the machine through `id -un`. `id -un` prints the user of this process, so `user` must be that
// user. Uses $USER and $LOGNAME only if neither lookup finds a name, because `su` without a login leaves $USER
// unchanged. Returns "user N" if there is no name at all. Waits at most 10 s for `id`.
std::string UserNameOf(uid_t user, const std::string& passwd_file, const VariableLookup& variable);
// The name of the user of this process.
std::string UserName();

// Describes the sender of a command to a job, for the journal: "ann on gateway3 with `howdah kill`". `tool` is the
// program or key that the user used.
std::string Requester(const std::string& tool);

}  // namespace howdah::client
