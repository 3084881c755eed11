// The archive of `python:` on a node that has not unpacked it.
#pragma once

#include <string>

#include "howdah/base/result.h"

namespace howdah::executor {

// Unpacks an archive into a directory, which is made if absent. No effect if the archive does not exist: YARN unpacks
// the formats that it knows by itself.
Status UnpackPythonArchive(const std::string& archive, const std::string& directory);

}  // namespace howdah::executor
