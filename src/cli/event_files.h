// TensorBoard's files of a job that has ended.
#pragma once

#include <string>

#include "howdah/backend/files.h"

namespace howdah::cli {

// Copies every event file below a directory of a place's file system to a directory of this machine, which is there.
// How many there were.
Result<int> CopyEventFiles(backend::Files& files, const std::string& from, const std::string& to);

}  // namespace howdah::cli
