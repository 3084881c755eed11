#include "howdah/keyfile/json_text.h"

#include <string_view>

namespace howdah::keyfile {
namespace {

struct Escape {
  std::string_view utf8;
  std::string_view json;
};

constexpr Escape kEscapes[] = {{"\x7F", "\\u007f"},         {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"},
                               {"\xEF\xBB\xBF", "\\ufeff"}, {"\xEF\xBF\xBE", "\\ufffe"}, {"\xEF\xBF\xBF", "\\uffff"}};

// Appends the escape sequence for the first character of `rest`, and returns the size of that character in bytes.
// Returns 0 if the character needs no escape.
size_t AppendEscape(std::string_view rest, std::string* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto second = static_cast<unsigned char>(rest.size() > 1 ? rest[1] : 0);
  if (rest[0] == '\xC2' && second >= 0x80 && second < 0xA0) {
    *out += "\\u00";
    *out += kHex[second >> 4];
    *out += kHex[second & 15];
    return 2;
  }
  for (const Escape& escape : kEscapes) {
    if (rest.substr(0, escape.utf8.size()) != escape.utf8) continue;
    *out += escape.json;
    return escape.utf8.size();
  }
  return 0;
}

}  // namespace

std::string JsonText(const Json& value, int indent) {
  std::string text = value.dump(indent, ' ', false, Json::error_handler_t::replace);
  if (text.find_first_of("\x7F\xC2\xE2\xEF") == std::string::npos) return text;
  std::string escaped;
  for (size_t at = 0; at < text.size();) {
    const size_t length = AppendEscape(std::string_view(text).substr(at), &escaped);
    if (length == 0) escaped += text[at];
    at += length == 0 ? 1 : length;
  }
  return escaped;
}

}  // namespace howdah::keyfile
