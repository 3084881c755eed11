// What a working directory is made of, where a place stages files by their content: every file of `source` and `files`
// is a resource of its own (on YARN localized by the NodeManager, shared between tasks and jobs, read-only), and the
// manifest says where they belong.
//
// `manifest.json` in the staging directory is an array; its entries are applied in their order:
//
//   [{"path": "data", "directory": true, "mode": 493},
//    {"path": "run.sh", "resource": "3b7f0a", "mode": 493},
//    {"path": "data/latest", "link": "../run.sh"},
//    {"path": "wheels", "resource": "9ac411", "unpack": true, "role": "worker"},
//    {"path": "a.py", "resource": "c01d55", "offset": 1024, "size": 77}]
//
//   path       below the working directory, without ".." and not absolute; "." is the working directory itself, for
//              `unpack` and directories alone. Parents that are not there are made. No part of it may be a symbolic
//              link
//   resource   name in the staging directory, without "/": copied, whatever links lead to it; a directory with all of
//              it. What is at `path` already is replaced
//   unpack     with resource: an archive, or a directory if the place has unpacked it; its content comes below `path`
//   offset     with size and resource: bytes of the resource, which is a file; small files travel as one
//   link       the text of a symbolic link; it may lead anywhere, but nothing is written through it
//   directory  an empty directory
//   role       the entry is for the tasks of this role alone
//   mode       of file or directory, as chmod takes it, in decimal; the owner may always read and write. Default 0644
//              of files, 0755 of directories
//
// Exactly one of resource, link and directory stands in an entry; unknown keys are errors. Every error names the entry.
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
  std::string path;                                    // normal: "a/b", or "." alone
  std::string resource;                                // of kCopy and kUnpack
  std::string link;                                    // of kLink
  std::optional<std::pair<uint64_t, uint64_t>> range;  // of kCopy: offset and size; none: the whole resource
  unsigned mode = 0;
  std::string role;  // empty: every role
};

Result<std::vector<ManifestEntry>> ParseManifest(std::string_view json);

// Makes everything that a task of the role gets in a working directory that is there.
Status ApplyManifest(const std::vector<ManifestEntry>& manifest, const std::string& role,
                     const std::string& staging_dir, const std::string& work_dir);

}  // namespace howdah::executor
