#include "howdah/executor/python_archive.h"

#include <unistd.h>

#include "howdah/os/files/archive.h"
#include "howdah/os/files/files.h"

namespace howdah::executor {

Status UnpackPythonArchive(const std::string& archive, const std::string& directory) {
  if (::access(archive.c_str(), R_OK) != 0) return {};
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(directory));
  const Status unpacked = os::files::Unpack(archive, directory, os::files::OutwardLinks::kKeep);
  return unpacked.ok() ? unpacked : Status(unpacked.error().While("unpacking the python archive"));
}

}  // namespace howdah::executor
