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
// The name of the user with this id, as Hadoop's clients determine it: the name that the machine has for the id, and
// not $USER, which `su` without a login leaves unchanged. The sources are, in this order, `passwd_file`, the name
// service of the machine through `id -un`, which must be a command of this user, and for an id without a name $USER and
// $LOGNAME. Returns "user N" if none of them has a name. Waits at most 10 s for `id`.
std::string UserNameOf(uid_t user, const std::string& passwd_file, const VariableLookup& variable);
// The name of the user of this process.
std::string UserName();
std::string CurrentDirectory();

// Describes the sender of a command to a job, for the journal: "ann on gateway3 with `howdah kill`". `tool` is the
// program or key that the user used.
std::string Requester(const std::string& tool);

}  // namespace howdah::client
