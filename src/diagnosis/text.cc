#include "text.h"

#include <algorithm>

#include "howdah/base/text.h"

namespace howdah::diagnosis {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Returns the length of the escape sequence at the start of text. The first character of text must be ESC.
size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return text.size();
  size_t i = 2;
  if (text[1] == '[') {  // a CSI sequence ends with its final letter
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
    return std::min(i + 1, text.size());
  }
  if (text[1] == ']') {  // an OSC sequence ends with BEL or ESC backslash
    while (i < text.size() && text[i] != '\a' && text[i] != '\x1b') ++i;
    return std::min(i + (i < text.size() && text[i] == '\x1b' ? 2 : 1), text.size());
  }
  return 2;
}

std::string CleanLine(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (const size_t back = line.rfind('\r'); back != line.npos) line.remove_prefix(back + 1);
  std::string clean;
  while (!line.empty()) {
    const auto lead = static_cast<unsigned char>(line.front());
    size_t length = 1;
    if (lead == 0x1b) {
      length = EscapeLength(line);
    } else if (lead == '\t') {
      clean += ' ';
    } else if (lead >= 0x20 && lead != 0x7f) {
      length = Utf8CharacterSize(line);
      clean += length == 0 ? std::string(kReplacement) : Shown(line.substr(0, length));
    }
    line.remove_prefix(std::max<size_t>(length, 1));
  }
  while (!clean.empty() && clean.back() == ' ') clean.pop_back();
  return clean;
}

// Damerau's edit distance (optimal string alignment): insertions, deletions, substitutions, and transpositions of
// neighbours.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> CleanLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(CleanLine(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::optional<std::string> Nearest(std::string_view wanted, const std::vector<std::string>& names) {
  constexpr size_t kLongestName = 255;  // maximum length of a file name
  if (wanted.empty() || wanted.size() > kLongestName) return std::nullopt;
  const std::string* nearest = nullptr;
  size_t best = wanted.size() / 3 + 1;  // a name that needs more edits is not similar
  for (const std::string& name : names) {
    const size_t apart = name.size() > wanted.size() ? name.size() - wanted.size() : wanted.size() - name.size();
    if (apart >= best || name.size() > kLongestName) continue;
    if (const size_t distance = EditDistance(wanted, name); distance < best) best = distance, nearest = &name;
  }
  return nearest ? std::optional(*nearest) : std::nullopt;
}

}  // namespace howdah::diagnosis
