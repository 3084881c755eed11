// The names of enumerated values, and text for messages.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace howdah::keyfile {

// The values of an enumeration with their names, in the order in which messages list them.
template <typename E>
using Words = std::vector<std::pair<E, std::string_view>>;

// Puts the text in single quotes for a one-line message. Control characters become \xNN, and the text is shortened to
// about `longest` bytes.
std::string Quoted(std::string_view text, size_t longest = 60);
// Same as Quoted without the quotes, for a key in a path.
std::string Printable(std::string_view text, size_t longest = 60);

// Joins the parts with commas, as in "a, b, c".
std::string Joined(const std::vector<std::string_view>& parts);

// Returns the position of the first byte that is not valid UTF-8, or npos if all bytes are valid.
size_t FindInvalidUtf8(std::string_view text);

}  // namespace howdah::keyfile
