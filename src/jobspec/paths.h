// Local paths and URIs of job files.
#pragma once

#include <string>
#include <string_view>

#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::jobspec {

// The kind of object to which a local path must refer. URIs are not checked.
enum class PathUse {
  kSource,       // a directory or an archive
  kFile,         // any object
  kLocalFile,    // a file on the submitting machine
  kArchive,      // an archive
  kDestination,  // a directory, which is created if absent
  // A file, directory or pattern of files. `file://` URIs stay as they are: their files may be on other machines only.
  kRows
};

// Whether the path is a pattern such as data/*.csv.
bool IsPattern(std::string_view path);

// A path or URI; "" means none. Relative paths start at the job file's directory, and become absolute.
keyfile::ValueType<std::string> PathOrUri(PathUse use);

// An item of files: a string or a map.
keyfile::ValueType<File> StagedFile();

// The part after the last slash.
std::string_view BaseName(std::string_view path);

// Whether the file name has the ending of an archive.
bool IsArchiveName(std::string_view path);

}  // namespace howdah::jobspec
