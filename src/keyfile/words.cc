#include "howdah/keyfile/words.h"

#include <cstdint>
#include <cstdio>

#include "howdah/base/text.h"

namespace howdah::keyfile {

std::string Printable(std::string_view text, size_t longest) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= longest) return out + "…";
    const size_t length = Utf8CharacterSize(text);
    const auto byte = static_cast<uint8_t>(text.front());
    const bool c1 = length == 2 && byte == 0xC2 && static_cast<uint8_t>(text[1]) < 0xA0;
    if (length == 0 || byte < 0x20 || byte == 0x7F || c1) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", byte);
      out += byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : hex;
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string Quoted(std::string_view text, size_t longest) { return "'" + Printable(text, longest) + "'"; }

std::string Joined(const std::vector<std::string_view>& parts) {
  std::string joined;
  for (const std::string_view part : parts) {
    if (!joined.empty()) joined += ", ";
    joined += part;
  }
  return joined;
}

size_t FindInvalidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = Utf8CharacterSize(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

}  // namespace howdah::keyfile
