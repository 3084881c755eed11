// Helpers of this library's tests.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "howdah/hadoop/conf/configuration.h"

namespace howdah::hadoop::conf {

inline Environment Around(std::map<std::string, std::string> environment = {}) {
  return {[environment](const std::string& name) -> std::optional<std::string> {
            const auto found = environment.find(name);
            return found == environment.end() ? std::nullopt : std::optional(found->second);
          },
          "ann", "/home/ann"};
}

// File contents by path, for tests of XInclude.
using Files = std::map<std::string, std::string>;
inline auto Reader(const Files& files) {
  return [files](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return Error{ErrorCode::kNotFound, "reading " + path + ": No such file or directory"};
    return found->second;
  };
}

inline std::string P(const std::string& name, const std::string& value, const std::string& more = "") {
  return "<property><name>" + name + "</name><value>" + value + "</value>" + more + "</property>";
}

}  // namespace howdah::hadoop::conf
