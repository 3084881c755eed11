// The user and the machine of this process.
#pragma once

#include <optional>
#include <string>

namespace howdah::client {

// The value of an environment variable, or nullopt if it is not set.
std::optional<std::string> Variable(const std::string& name);
// $USER, or else the system's name for this user.
std::string UserName();
std::string CurrentDirectory();

// Describes the sender of a command to a job, for the journal: "ann on gateway3 with `howdah kill`". `tool` is the
// program or key that the user used.
std::string Requester(const std::string& tool);

}  // namespace howdah::client
