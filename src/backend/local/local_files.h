// storage::Files for the files of this machine.
#pragma once

#include <memory>
#include <string>

#include "howdah/storage/files.h"

namespace howdah::backend::local {

// uri: an absolute path or "file:...". Returns kUnavailable for other URIs.
Result<std::unique_ptr<storage::Files>> OpenLocalFiles(const std::string& uri);

}  // namespace howdah::backend::local
