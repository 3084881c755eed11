// What a directory of the submitter holds, as the entries of a manifest.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::backend::yarn::client {

struct TreeEntry {
  enum class Kind { kDirectory, kFile, kLink } kind = Kind::kFile;
  std::string path;  // below the root; empty: the root itself
  mode_t mode = 0;
  off_t size = 0;
  std::string target;  // of a link
};

// Everything below `root` (followed if it is a link; a regular file is one entry with an empty path), parents before
// children, sorted by name. Sockets, pipes and devices are left out.
Result<std::vector<TreeEntry>> ListTree(const std::string& root);

// Whether a link at `path` of a tree with this text leads out of the tree, by its words alone.
bool LeavesTree(const std::string& path, const std::string& target);

}  // namespace howdah::backend::yarn::client
