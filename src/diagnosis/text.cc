#include "text.h"

#include <algorithm>

namespace howdah::diagnosis {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The length of the escape sequence at the start of text (which starts with ESC).
size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return text.size();
  size_t i = 2;
  if (text[1] == '[') {  // CSI: up to its final letter
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
    return std::min(i + 1, text.size());
  }
  if (text[1] == ']') {  // OSC: up to BEL or ESC backslash
    while (i < text.size() && text[i] != '\a' && text[i] != '\x1b') ++i;
    return std::min(i + (i < text.size() && text[i] == '\x1b' ? 2 : 1), text.size());
  }
  return 2;
}

// The length of the valid UTF-8 character at the start of text; 0: there is none.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t length = lead < 0x80                   ? 1
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate_or_beyond = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
  return overlong || surrogate_or_beyond ? 0 : length;
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
      length = CharacterLength(line);
      clean += length == 0 ? kReplacement : line.substr(0, length);
    }
    line.remove_prefix(std::max<size_t>(length, 1));
  }
  while (!clean.empty() && clean.back() == ' ') clean.pop_back();
  return clean;
}

// Damerau's distance with transpositions of neighbours: how many slips of the finger lie between two names.
size_t Slips(std::string_view a, std::string_view b) {
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

std::string Shorten(std::string text, size_t limit) {
  constexpr std::string_view kEllipsis = "…";
  if (text.size() <= limit) return text;
  size_t end = limit - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end).append(kEllipsis);
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::optional<std::string> Nearest(std::string_view wanted, const std::vector<std::string>& names) {
  constexpr size_t kLongestName = 255;  // of a file
  if (wanted.empty() || wanted.size() > kLongestName) return std::nullopt;
  const std::string* nearest = nullptr;
  size_t best = wanted.size() / 3 + 1;  // more slips than a third of the name: another name
  for (const std::string& name : names) {
    const size_t apart = name.size() > wanted.size() ? name.size() - wanted.size() : wanted.size() - name.size();
    if (apart >= best || name.size() > kLongestName) continue;
    if (const size_t slips = Slips(wanted, name); slips < best) best = slips, nearest = &name;
  }
  return nearest ? std::optional(*nearest) : std::nullopt;
}

}  // namespace howdah::diagnosis
