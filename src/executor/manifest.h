// The manifest describes the content of a working directory, for a backend that stages files by their content hash.
// Every file of `source` and `files` is then a separate resource. On YARN the NodeManager localizes the resources,
// read-only, and shares them between tasks and jobs. The manifest maps resources to paths.
//
// `manifest.json` in the staging directory is an array of entries, applied in order:
//
//   [{"path": "data", "directory": true, "mode": 493},
//    {"path": "run.sh", "resource": "3b7f0a", "mode": 493},
//    {"path": "data/latest", "link": "../run.sh"},
//    {"path": "wheels", "resource": "9ac411", "unpack": true, "role": "worker"},
//    {"path": "a.py", "resource": "c01d55", "offset": 1024, "size": 77}]
//
//   path       relative to the working directory, without ".."; "." is the working directory itself, only for `unpack`
//              and directories. Missing parents are created. No part of the path may be a symbolic link
//   resource   name in the staging directory, without "/"; symbolic links are followed. A file or a whole directory is
//              copied. An existing file or link at `path` is replaced
//   unpack     only with resource: an archive to unpack below `path`, or the directory into which the backend has
//              already unpacked it
//   offset     with size and resource: a range of a file; small files are staged as one resource
//   link       the text of a symbolic link; it may lead anywhere, but nothing is written through it
//   directory  an empty directory
//   role       the entry is only for tasks of this role
//   mode       of file or directory, as for chmod, in decimal; the owner may always read and write. Default: 0644 for
//              files, 0755 for directories
//
// An entry has exactly one of resource, link and directory; unknown keys are errors. Every error names the entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::executor {

struct ManifestEntry {
  enum class Kind { kCopy, kUnpack, kLink, kDirectory } kind = Kind::kCopy;
  std::string path;                                    // normalized: "a/b", or "."
  std::string resource;                                // for kCopy and kUnpack
  std::string link;                                    // for kLink
  std::optional<std::pair<uint64_t, uint64_t>> range;  // for kCopy: offset and size; nullopt for the whole resource
  unsigned mode = 0;
  std::string role;  // empty for every role
};

Result<std::vector<ManifestEntry>> ParseManifest(std::string_view json);

// Applies the entries for a role in an existing working directory.
Status ApplyManifest(const std::vector<ManifestEntry>& manifest, const std::string& role,
                     const std::string& staging_dir, const std::string& work_dir);

}  // namespace howdah::executor
