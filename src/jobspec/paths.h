// Local paths and URIs of job files.
#pragma once

#include <string>
#include <string_view>

#include "value_types.h"

namespace howdah::jobspec {

// What must be at a local path for the job to make sense. What is at a URI is not asked.
enum class PathUse {
  kSource,      // a directory or an archive
  kFile,        // anything
  kArchive,     // an archive
  kDestination  // it is made if absent
};

// A path or URI; a relative path counts from the job file; read, it is absolute. Empty: none.
ValueType<std::string> PathOrUri(PathUse use);

// One of files: a text or a map.
ValueType<File> FileToPlace();

// What follows the last slash.
std::string_view BaseName(std::string_view path);

// Whether a file of this name can be unpacked.
bool IsArchiveName(std::string_view path);

}  // namespace howdah::jobspec
