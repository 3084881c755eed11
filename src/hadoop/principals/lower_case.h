// Lower case of ASCII letters, as in principals and host names.
#pragma once

#include <string>

namespace howdah::hadoop::principals {

inline std::string LowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace howdah::hadoop::principals
