// Unpacks the archive of the job file's key `python` if YARN has not unpacked it.
#pragma once

#include <string>

#include "howdah/base/result.h"

namespace howdah::executor {

// Unpacks an archive into a directory, which is created if absent. Does nothing if the archive does not exist: YARN has
// then unpacked it already.
Status UnpackPythonArchive(const std::string& archive, const std::string& directory);

}  // namespace howdah::executor
