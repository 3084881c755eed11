#include "howdah/os/files/glob.h"

#include <fnmatch.h>

#include <algorithm>
#include <optional>
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

// Returns the length of the first unit of the pattern: a part that matches one character, or a star. `pattern` is not
// empty.
size_t UnitSize(std::string_view pattern) {
  if (pattern.front() == '\\') return std::min<size_t>(2, pattern.size());
  if (pattern.front() != '[') return 1;
  const size_t first = pattern.size() > 1 && (pattern[1] == '!' || pattern[1] == '^') ? 2 : 1;
  for (size_t at = first; at < pattern.size(); ++at) {
    if (pattern[at] == ']' && at > first) return at + 1;
    if (pattern[at] == '\\') ++at;
    if (pattern.substr(at).starts_with("[:")) at = std::min(pattern.find(":]", at), pattern.size() - 2) + 1;
  }
  return 1;  // a bracket without its closing bracket is an ordinary character
}

bool MatchesCharacter(const std::string& unit, char c) {
  if (unit == "\\") return false;  // a backslash at the end of a pattern matches nothing, as for git
  if (unit.size() == 1) return unit == "?" || unit.front() == c;
  const char text[] = {c, '\0'};
  return ::fnmatch(unit.c_str(), text, 0) == 0;
}

// Matches one component. fnmatch takes exponential time for patterns with many stars, because it tries all positions of
// all stars. This function only tries all positions of the last star so far, which is sufficient.
bool MatchesName(std::string_view pattern, std::string_view name) {
  std::vector<std::string> units;
  for (; !pattern.empty(); pattern.remove_prefix(units.back().size())) {
    units.emplace_back(pattern.substr(0, UnitSize(pattern)));
  }
  size_t unit = 0, at = 0;
  std::optional<size_t> star;  // the position after the last star so far
  size_t star_end = 0;         // the position in `name` at which the match of the star ends
  while (at < name.size()) {
    if (unit < units.size() && units[unit] == "*") {
      star = ++unit;
      star_end = at;
    } else if (unit < units.size() && MatchesCharacter(units[unit], name[at])) {
      ++unit;
      ++at;
    } else if (star) {
      unit = *star;
      at = ++star_end;
    } else {
      return false;
    }
  }
  return std::all_of(units.begin() + static_cast<std::ptrdiff_t>(unit), units.end(),
                     [](const std::string& left) { return left == "*"; });
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
      if (part == "**") {  // at the end of the pattern, ** matches at least one component
        next[i] = (!last && reached[i]) || (i > 0 && (next[i - 1] || reached[i - 1]));
      } else if (i > 0 && reached[i - 1]) {
        next[i] = MatchesName(part, names[i - 1]);
      }
    }
    reached = std::move(next);
  }
  return reached.back();
}

}  // namespace howdah::os::files
