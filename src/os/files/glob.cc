#include "howdah/os/files/glob.h"

#include <fnmatch.h>

#include <string>
#include <vector>

namespace howdah::os::files {
namespace {

std::vector<std::string> Components(std::string_view path) {
  std::vector<std::string> components;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) components.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return components;
}

}  // namespace

bool MatchesGlob(std::string_view pattern, std::string_view path) {
  const std::vector<std::string> patterns = Components(pattern), names = Components(path);
  // reached[i]: the patterns so far can match the first i names.
  std::vector<bool> reached(names.size() + 1, false);
  reached[0] = true;
  for (size_t at = 0; at < patterns.size(); ++at) {
    const std::string& part = patterns[at];
    const bool last = at + 1 == patterns.size();
    std::vector<bool> next(names.size() + 1, false);
    for (size_t i = 0; i <= names.size(); ++i) {
      if (part == "**") {  // at the end it matches at least one component
        next[i] = (!last && reached[i]) || (i > 0 && (next[i - 1] || reached[i - 1]));
      } else if (i > 0 && reached[i - 1]) {
        next[i] = ::fnmatch(part.c_str(), names[i - 1].c_str(), 0) == 0;
      }
    }
    reached = std::move(next);
  }
  return reached.back();
}

}  // namespace howdah::os::files
