// Files of this machine.
#pragma once

#include <memory>
#include <string>

#include "howdah/backend/files.h"

namespace howdah::local {

// uri: an absolute path or "file:"; kUnavailable for any other.
Result<std::unique_ptr<backend::Files>> OpenTree(const std::string& uri);

}  // namespace howdah::local
