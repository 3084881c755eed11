// Finds the newest entry of a job's checkpoint directory.
#pragma once

#include <optional>
#include <string>

#include "howdah/core/event.h"

namespace howdah::am {

// Returns the file or directory in `directory` that was written last, or nullopt if the directory is empty, cannot be
// read, or is not an absolute path on this machine. Reads at most 10,000 names.
std::optional<core::FinishPrepared::Checkpoint> NewestCheckpoint(const std::string& directory);

}  // namespace howdah::am
