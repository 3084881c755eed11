#include "howdah/base/text.h"

#include <algorithm>

namespace howdah {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The largest size, at most `size`, at which the text can be cut without splitting a UTF-8 character.
size_t CharacterBoundary(std::string_view text, size_t size) {
  while (size > 0 && size < text.size() && IsContinuation(text[size])) --size;
  return size;
}

// Whether a terminal prints this character of UTF-8 and does nothing else.
bool IsPrinted(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first >= ' ' && first != 0x7F;
  if (character.size() == 2) return character >= "\u00A0";  // U+0080 to U+009F are the control characters C1
  const bool separator = character == "\u2028" || character == "\u2029";
  const bool direction =
      (character >= "\u202A" && character <= "\u202E") || (character >= "\u2066" && character <= "\u2069");
  return !separator && !direction;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string Shown(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const size_t size = Utf8CharacterSize(text);
    const std::string_view character = text.substr(0, std::max<size_t>(size, 1));
    if (size == 0) {
      shown += '?';
    } else if (IsPrinted(character)) {
      shown += character;
    } else {
      shown += ' ';
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string OneLine(std::string_view text, size_t limit) {
  constexpr std::string_view kEllipsis = "...";
  const bool cut = text.size() > limit;
  if (cut) text = text.substr(0, CharacterBoundary(text, limit - kEllipsis.size()));
  std::string line;
  for (const char c : Shown(text)) {
    if (c != ' ') {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  if (cut) line += kEllipsis;
  return line;
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string Shorten(std::string text, size_t limit) {
  constexpr std::string_view kEllipsis = "…";
  if (text.size() <= limit) return text;
  text.resize(CharacterBoundary(text, limit - kEllipsis.size()));
  return text.append(kEllipsis);
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string CountOf(int64_t count, std::string_view singular, std::string_view plural) {
  std::string text = std::to_string(count) + ' ';
  if (count == 1) return text.append(singular);
  if (!plural.empty()) return text.append(plural);
  return text.append(singular) + 's';
}

size_t Utf8CharacterSize(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char lead = byte(0);
  const size_t size = lead < 0x80                   ? 1
                      : lead >= 0xC2 && lead < 0xE0 ? 2
                      : lead >= 0xE0 && lead < 0xF0 ? 3
                      : lead >= 0xF0 && lead < 0xF5 ? 4
                                                    : 0;
  if (size == 0 || size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate_or_beyond = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
  return overlong || surrogate_or_beyond ? 0 : size;
}

bool SaysNoSpace(std::string_view text) {
  for (const std::string_view message : {"No space left on device", "Disk quota exceeded", "[Errno 28]", "ENOSPC"}) {
    if (text.find(message) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace howdah
