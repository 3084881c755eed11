// The machine on which a file is read, as far as the values of the file depend on it.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace howdah::keyfile {

enum class PathKind { kMissing, kFile, kDirectory };

struct Host {
  std::string file_name;  // used in messages
  std::string directory;  // absolute; the file's relative paths start here
  // Returns a variable of the environment, or nullopt if it is not set. Null: no variable is set.
  std::function<std::optional<std::string>(const std::string&)> variable;
  // Returns the kind of an absolute path. Null: paths are not checked.
  std::function<PathKind(const std::string&)> path_kind;
};

}  // namespace howdah::keyfile
