#pragma once

#include <string>

namespace howdah::agent {

// Of this program: executors are the same one, and so is what tasks call.
std::string OwnPath();

}  // namespace howdah::agent
