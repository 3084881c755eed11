// Files of this machine.
#pragma once

#include <memory>

#include "howdah/storage/files.h"

namespace howdah::storage {

// Other users may own the files: none is opened unless it is a regular file, and no symbolic link is followed at the
// end of a path.
std::unique_ptr<Files> OpenLocalFiles();

}  // namespace howdah::storage
