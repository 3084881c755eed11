// Text helpers that ignore the locale: letters and blanks are those of ASCII, other text is UTF-8. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace howdah {

// Removes the blanks (space, tab, CR, LF, FF, VT) at both ends. The result refers to `text`.
std::string_view Trim(std::string_view text);

// Returns the text in a form that is safe to show on a terminal, whoever wrote the text: one line of valid UTF-8 that
// cannot move the cursor, change the colour or forge another line. Each control character (C0, DEL, C1), line separator
// and change of the writing direction becomes a space, and each byte that is not UTF-8 becomes "?". The result is never
// longer than the text.
std::string Shown(std::string_view text);

// Like Shown, but runs of blanks and control characters become one space, and none remain at the ends. If the text is
// longer than `limit` bytes (at least 3), it is cut at a character boundary and ends in "...".
std::string OneLine(std::string_view text, size_t limit = std::string_view::npos);

// The text up to the first line break. The result refers to `text`.
std::string_view FirstLine(std::string_view text);

// Limits the text to `limit` bytes (at least 3): a longer text is cut at a character boundary and ends in "…".
std::string Shorten(std::string text, size_t limit);

// Converts ASCII letters to lower case.
std::string LowerCase(std::string_view text);

// Formats bytes as lower-case hexadecimal, two digits per byte.
std::string Hex(std::string_view bytes);

// Formats "1 task" or "3 tasks". `plural` is needed only if it is not the singular with an "s".
std::string CountOf(int64_t count, std::string_view singular, std::string_view plural = {});

// The size in bytes of the valid UTF-8 character at the beginning of `text` (RFC 3629: no overlong forms, surrogates or
// code points beyond U+10FFFF). Returns 0 if there is none.
size_t Utf8CharacterSize(std::string_view text);

// Whether a program's message says that a file system is full, or the user's quota of it used up.
bool SaysNoSpace(std::string_view text);

// Joins the parts with a separator between them. Parts is a range of strings or string views.
template <typename Parts>
std::string Join(const Parts& parts, std::string_view separator = ", ") {
  std::string joined;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) joined += separator;
    first = false;
    joined += part;
  }
  return joined;
}

}  // namespace howdah
