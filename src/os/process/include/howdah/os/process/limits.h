// The limit of open files of this process.
#pragma once

#include <cstdint>
#include <optional>

namespace howdah::os::process {

// Raises the soft limit of open files to the hard limit, because each task and each connection of an agent needs
// descriptors. Returns the soft limit before the call, which SpawnRequest::open_files sets for the programs of
// users: select(2) fails with higher descriptors, and some programs do work for each possible descriptor at their
// start. Returns nullopt if the limit cannot be read.
std::optional<uint64_t> RaiseOpenFilesLimit();

}  // namespace howdah::os::process
