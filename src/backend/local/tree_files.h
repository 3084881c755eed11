// Files of this machine.
#pragma once

#include <memory>
#include <string>

#include "howdah/storage/files.h"

namespace howdah::backend::local {

// uri: an absolute path or "file:"; kUnavailable for any other.
Result<std::unique_ptr<storage::Files>> OpenTree(const std::string& uri);

}  // namespace howdah::backend::local
