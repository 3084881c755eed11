// The newest content of a job's checkpoint directory.
#pragma once

#include <optional>
#include <string>

#include "howdah/core/event.h"

namespace howdah::am {

// The file or directory that was written last. nullopt: there is none, or `directory` is not a path of this machine.
// Reads at most 10,000 names.
std::optional<core::FinishPrepared::Checkpoint> NewestCheckpoint(const std::string& directory);

}  // namespace howdah::am
