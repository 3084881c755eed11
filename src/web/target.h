// The target of a request: path and query, decoded. Pure; the bytes come from an untrusted client.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::web {

struct Target {
  std::string path;  // as Request::path
  std::vector<std::pair<std::string, std::string>> query;
  std::string query_text;
  std::optional<std::string> authority;  // of the absolute form "http://example.com:80/path"
};

// Parses the origin form "/path?query" and the absolute form. An error is kUsage and states the defect.
Result<Target> ParseTarget(std::string_view text);

}  // namespace howdah::web
