// The person and the machine that use this process.
#pragma once

#include <optional>
#include <string>

namespace howdah::client {

// An environment variable; nullopt: not set.
std::optional<std::string> Variable(const std::string& name);
// $USER, otherwise the name that the system has for this user.
std::string UserName();
std::string CurrentDirectory();

// "ann on gateway3 with `howdah kill`": how an order to a job is recorded. tool: what the person used.
std::string Requester(const std::string& tool);

}  // namespace howdah::client
