// The files in the directory `source` of a job that are not copied, because of .howdahignore, .gitignore or the
// built-in rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace howdah::jobspec {

// Name of the file in the staging directory with which the client passes a LeftOut to the executors.
inline constexpr const char* kLeftOutFile = "left-out";

struct LeftOut {
  // Paths of files and directories, relative to the source. Files below a directory are left out, too.
  std::vector<std::string> paths = {};
  std::string rules_file = {};  // ".howdahignore", ".gitignore", or "" if there is neither

  // If the file or directory with this relative path is left out: a clause with the rule and the remedy. Otherwise
  // nullopt.
  std::optional<std::string> Explain(std::string_view path) const;

  // Encodes the rules file and as many paths as fit into 16 KiB, one per line. Returns "" if nothing is left out.
  std::string Encode() const;
  static LeftOut Decode(std::string_view text);
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

// Returns the parts of a text that may be paths: words without quotes, and without the "./" with which they begin.
std::vector<std::string_view> PossiblePaths(std::string_view text);

}  // namespace howdah::jobspec
