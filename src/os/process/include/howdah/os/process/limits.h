// The open files of this process: its limit and its standard streams.
#pragma once

#include <cstdint>
#include <optional>

namespace howdah::os::process {

// Raises the soft limit of open files to the hard limit, because each task and each connection of an agent needs
// descriptors. Returns the soft limit before the call, which SpawnRequest::open_files sets for the programs of
// users: select(2) fails with higher descriptors, and some programs do work for each possible descriptor at their
// start. Returns nullopt if the limit cannot be read.
std::optional<uint64_t> RaiseOpenFilesLimit();

// Opens /dev/null for each standard stream that the caller of this program has closed (`>&-`). A file or socket of the
// program would get the number of that stream otherwise, and messages would be written into it. Programs call this
// before they open anything.
void OpenStandardStreams();

}  // namespace howdah::os::process
