// The `howdah` program, but for the places it can reach.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"

namespace howdah::cli {

// Makes the place of this name ("local", "yarn"). kUnavailable: there is none of this name (yet), or it cannot be
// reached.
using PlaceFactory = std::function<Result<std::unique_ptr<backend::Cluster>>(const std::string& name)>;

// Reads the command line, does what it says, and returns the exit code of the process.
int Main(int argc, char** argv, const PlaceFactory& make_place);

std::optional<std::string> Variable(const std::string& name);
// Who is at the keyboard: $USER, else as the system knows the user.
std::string UserName();

}  // namespace howdah::cli
