// Which files of a task's working directory are kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace howdah {

struct OutputRules {
  // All files that match a pattern (os/files/glob.h). A pattern that matches a directory selects all files below it; a
  // slash at the end of the pattern has no meaning.
  std::vector<std::string> patterns;
  // All other new files (os/files/outputs.h), if they have at most this number of bytes together. 0: none of them.
  int64_t new_files_limit = 0;

  bool keeps_files() const { return !patterns.empty() || new_files_limit > 0; }
};

}  // namespace howdah
